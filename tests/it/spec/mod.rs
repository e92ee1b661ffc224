//! The specification, a file for each section: docs/internals/requirements.md names the test of
//! each rule.

mod section_1_service;
mod section_2_1_api_key;
mod section_2_2_over_the_wire;
mod section_2_2_webhook;
mod section_2_3_task;
mod section_2_4_event;
mod section_3_states;
mod section_4_endpoints;
mod section_5_authentication;
mod section_6_events;
