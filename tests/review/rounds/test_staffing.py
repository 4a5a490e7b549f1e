"""Whether people can fill every panel of a round."""

from review.rounds.staffing import Forecast, ItemGroup, Judge, Shortage, ShortageCode, forecast

LAW, ART = 1, 2
FIVE = [Judge(person) for person in range(1, 6)]


def test_panel_larger_than_the_project_lacks_people() -> None:
    found = forecast({ItemGroup(LAW): 10}, FIVE, panel_size=9)

    assert found == Forecast(
        items=10,
        panel_size=9,
        judges=5,
        largest_panel=5,
        items_for=dict.fromkeys(range(1, 6), 10),
        workload=10,
        shortages=(Shortage(ShortageCode.TOO_FEW_PEOPLE, 10),),
    )
    assert not found.is_finishable


def test_panel_that_everybody_fills_has_no_shortage() -> None:
    assert forecast({ItemGroup(LAW): 10}, FIVE, panel_size=5).is_finishable


def test_subject_with_too_few_experts_is_named() -> None:
    judges = [Judge(1, frozenset({LAW})), Judge(2, frozenset({LAW})), Judge(3)]

    found = forecast({ItemGroup(LAW): 4, ItemGroup(ART): 3}, judges, panel_size=2)

    assert found.shortages == (Shortage(ShortageCode.EXPERTISE, 3, (ART,)),)
    assert (found.largest_panel, found.items_for) == (1, {1: 4, 2: 4, 3: 7})


def test_items_that_people_wrote_or_judged_are_not_for_them() -> None:
    groups = {ItemGroup(LAW): 5, ItemGroup(LAW, frozenset({1, 2, 3, 4})): 2}

    found = forecast(groups, FIVE, panel_size=2)

    assert found.shortages == (Shortage(ShortageCode.OWN_WORK, 2),)
    assert found.items_for == {1: 5, 2: 5, 3: 5, 4: 5, 5: 7}


def test_cap_too_low_for_all_seats_tells_how_many_judgements_are_left() -> None:
    found = forecast({ItemGroup(LAW): 10}, FIVE, panel_size=2, cap_per_person=3)

    assert found.shortages == (Shortage(ShortageCode.CAP, 5),)
    assert forecast({ItemGroup(LAW): 10}, FIVE, panel_size=2, cap_per_person=4).is_finishable


def test_nobody_is_said_to_judge_more_than_the_cap_or_all_items() -> None:
    assert forecast({ItemGroup(LAW): 10}, FIVE, panel_size=9).workload == 10
    assert forecast({ItemGroup(LAW): 10}, FIVE, panel_size=2, cap_per_person=3).workload == 3


def test_project_without_people_can_finish_nothing() -> None:
    found = forecast({ItemGroup(LAW): 1}, [], panel_size=1)

    assert found.shortages == (Shortage(ShortageCode.TOO_FEW_PEOPLE, 1),)


def test_cap_too_low_for_one_subject_is_told_though_others_have_time() -> None:
    lawyers = [Judge(1, frozenset({LAW}))]
    artists = [Judge(person, frozenset({ART})) for person in (2, 3)]
    groups = {ItemGroup(LAW): 5, ItemGroup(ART): 5}

    found = forecast(groups, [*lawyers, *artists], panel_size=1, cap_per_person=4)

    assert found.shortages == (Shortage(ShortageCode.CAP, 1),)
    assert forecast(groups, [*lawyers, *artists], panel_size=1, cap_per_person=5).is_finishable


def test_cap_that_leaves_items_without_an_expert_is_told() -> None:
    judges = [*FIVE, Judge(6, frozenset({LAW}))]

    found = forecast(
        {ItemGroup(LAW): 10}, judges, panel_size=2, cap_per_person=7, needs_expert=True
    )

    assert found.shortages == (Shortage(ShortageCode.EXPERT_CAP, 3),)


def test_control_items_take_time_and_count_for_the_cap() -> None:
    found = forecast({ItemGroup(LAW): 10}, FIVE, panel_size=1, cap_per_person=2, controls=5)

    assert found.shortages == (Shortage(ShortageCode.CAP, 5),)
    assert forecast({ItemGroup(LAW): 10}, FIVE, panel_size=1, controls=5).workload == 3
