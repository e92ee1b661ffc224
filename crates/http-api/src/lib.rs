//! The v4 REST surface of Gatepost: router, OpenAPI, console pages.
