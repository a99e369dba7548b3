export { type ErrorCode, type ErrorDetails, errorCodes, type Phase, RetrievalError } from './errors.ts'
export { type Explained, type Explanation, explain, formatExplanation, quoteWire, type Unexplained } from './explain.ts'
export { type Finding, type FindingCode, findingCodes, type Severity } from './findings.ts'
export { isInward, isLoopback } from './host.ts'
export { formatLocator, type Locator, type Part, type Span, schemeOf } from './locator.ts'
export { decodeOctets, encodeOctets, octetsToText, utf8Octets } from './percent.ts'
export type {
  AccessPlan,
  AccessPlans,
  FilePlan,
  FtpPlan,
  GopherPlan,
  HttpPlan,
  Mechanism,
  NntpPlan,
  TelnetPlan,
  TlsMode,
} from './plan.ts'
export { databasePorts, foreignPorts } from './ports.ts'
export { printable } from './printable.ts'
export { redact } from './redact.ts'
export { resolveReference } from './reference.ts'
export { findScheme, type Resolution, type ResolveOptions, resolve } from './resolve.ts'
export type { Defaults, Inspection, Place, Scheme } from './scheme.ts'
export { builtinSchemes } from './schemes/index.ts'
