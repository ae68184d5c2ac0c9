// Shows the service's own OpenAPI document; nothing is fetched from anywhere else.
window.addEventListener("load", () => {
  SwaggerUIBundle({
    url: "openapi.json",
    dom_id: "#viewer",
    deepLinking: true,
    validatorUrl: null,
    persistAuthorization: false,
  });
});
