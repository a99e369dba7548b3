export { fingerFetcher } from './fetcher.ts'
export { type FingerPlan, finger } from './scheme.ts'
