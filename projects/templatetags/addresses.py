"""`web_address` for templates: `{% if source.url|web_address %}` before each link to a foreign address."""

from django import template

from common.web_addresses import web_address

register = template.Library()
register.filter(web_address)
