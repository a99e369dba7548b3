/**
 * `@retriever/gateway` is an HTTP proxy, and pages for browsers, for every URL that a client retrieves (RFC 1738
 * section 4), by node:http. See docs/gateway.md.
 */
export { createGateway, type Gateway, type GatewayDoor } from './gateway.ts'
export type { GatewayLimits, GatewayOptions, GatewayPolicy } from './options.ts'
