"""Dates in Chinese: year, month and day with their signs, 24 hours, the zone beside every time."""

DATE_FORMAT = "Y年n月j日"
SHORT_DATE_FORMAT = "Y年n月j日"
TIME_FORMAT = "H:i T"
DATETIME_FORMAT = "Y年n月j日 H:i T"
SHORT_DATETIME_FORMAT = "Y年n月j日 H:i T"
MONTH_DAY_FORMAT = "n月j日"
YEAR_MONTH_FORMAT = "Y年n月"
FIRST_DAY_OF_WEEK = 1
