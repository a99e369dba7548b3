/** Runs a client of any kind against hostile servers, and judges it by what is seen from outside. */
export { type AuditOptions, type AuditVerdict, audit } from './audit.ts'
export { type AuditClass, auditClasses } from './script.ts'
export { auditSchemes } from './scripts/abilities.ts'
