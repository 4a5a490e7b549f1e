"""The form that starts an explanation job."""

from annotation.asking.actions import AskingSettings
from annotation.asking.forms import AskingForm


class ExplainingForm(AskingForm):
    """The model and the items of a new explanation job."""

    def settings(self) -> AskingSettings:
        return AskingSettings(**self.shared())
