"""The OpenAPI document at /schema and its viewer, served from this machine alone.

Swagger UI comes out of the package ``mkdocs-swagger-ui-tag``: of those that ship it, the one that
is kept up to date and brings no web framework of its own. Its code is never imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import msgspec
from litestar import Request, Response, Router, get
from litestar.enums import MediaType
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin, OpenAPIRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme, Tag
from litestar.params import FromPath
from litestar.response import Redirect
from litestar.types import Guard

from domain.errors import NotFound
from memoryweave import contract

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_VENDORED: Final = {
    "swagger-ui-bundle.js": ("javascripts/swagger-ui-bundle.js", "text/javascript"),
    "swagger-ui.css": ("stylesheets/swagger-ui.css", "text/css"),
}


def openapi_config(version: str, guards: Sequence[Guard]) -> OpenAPIConfig:
    """Describe the service; ``guards`` stand before the document and its viewer."""
    return OpenAPIConfig(
        title="MemoryWeave",
        version=version,
        summary="Long-term memory that several AI agents share",
        openapi_router=Router(
            "/schema",
            route_handlers=[asset],
            include_in_schema=False,
            guards=guards,
            before_request=_viewer_for_browsers,
            response_headers={
                "Content-Security-Policy": CONTENT_SECURITY_POLICY,
                "X-Content-Type-Options": "nosniff",
            },
        ),
        render_plugins=[
            _Document(path=["/", "/openapi.json"], media_type=MediaType.JSON),
            _Viewer(path="/viewer"),
        ],
        components=Components(
            security_schemes={
                "key": SecurityScheme(type="apiKey", name="X-API-Key", security_scheme_in="header"),
                "bearer": SecurityScheme(type="http", scheme="bearer"),
            }
        ),
        security=[{"key": []}, {"bearer": []}],
        tags=[Tag(name) for name in ("write", "read", "agents", "admin", "system")],
        use_handler_docstrings=True,
    )


class _Document(JsonRenderPlugin):
    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        """Give the document, with msgspec's own account of the messages.

        The framework loses limits of list items and of values that may be null, and calls a body
        that may be left out required.
        """
        components = openapi_schema["components"]
        names = components["schemas"].keys() & vars(contract).keys()
        _, exact = msgspec.json.schema_components(
            [getattr(contract, name) for name in sorted(names)],
            ref_template="#/components/schemas/{name}",
        )
        schemas = {**components["schemas"], **exact}
        document = {
            **openapi_schema,
            "components": {**components, "schemas": schemas},
            "paths": {
                path: {method: _optional_body(operation) for method, operation in item.items()}
                for path, item in openapi_schema["paths"].items()
            },
        }
        return super().render(request, document)


def _optional_body(operation: dict[str, Any]) -> dict[str, Any]:
    body = operation.get("requestBody")
    if body is None:
        return operation
    [content] = body["content"].values()
    may_be_null = {"type": "null"} in content["schema"].get("oneOf", [])
    return {**operation, "requestBody": {**body, "required": not may_be_null}}


class _Viewer(OpenAPIRenderPlugin):
    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        """Give the page; it loads the document itself."""
        del request, openapi_schema
        return files("api.viewer").joinpath("page.html").read_bytes()


async def _viewer_for_browsers(request: Request[Any, Any, Any]) -> Redirect | None:
    wants = request.accept.best_match(["application/json", "text/html"], default="application/json")
    if request.scope["path"].rstrip("/") == "/schema" and wants == "text/html":
        return Redirect("/schema/viewer")
    return None


@get("/assets/{name:str}", sync_to_thread=True)
def asset(name: FromPath[str]) -> Response[bytes]:
    """Give one file of the viewer."""
    if name == "start.js":
        content = files("api.viewer").joinpath(name).read_bytes()
        return Response(content, media_type="text/javascript")
    if name not in _VENDORED:
        raise NotFound("there is no such asset")
    inner, media_type = _VENDORED[name]
    headers = {"Cache-Control": "max-age=86400"}
    return Response((_swagger_ui() / inner).read_bytes(), media_type=media_type, headers=headers)


@lru_cache(maxsize=1)
def _swagger_ui() -> Path:
    spec = find_spec("mkdocs_swagger_ui_tag")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]) / "swagger-ui"
