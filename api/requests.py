"""The request class: reads a JSON body strictly, in place of the framework's lenient reading."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from litestar import Request
from litestar.datastructures import State

from api.body import decode_body
from api.problems import UnsupportedMediaType


class ApiRequest(Request[Any, Any, State]):
    """A request whose ``data`` parameter is decoded by `api.body.decode_body`."""

    async def json(self) -> Any:
        """Decode the body into the type that the route declares for ``data``."""
        media_type, options = self.content_type
        charset = options.get("charset", "utf-8").strip('"').lower()
        if media_type not in ("", "application/json") or charset not in ("utf-8", "utf8"):
            raise UnsupportedMediaType("send the body as application/json in UTF-8")
        field = self.route_handler.parsed_data_field
        assert field is not None
        body = await self.body()
        if get_origin(field.annotation) not in (Union, UnionType):
            return decode_body(body, field.annotation)
        if body.strip() == b"null":
            return None
        return decode_body(body, next(a for a in get_args(field.annotation) if a is not NoneType))
