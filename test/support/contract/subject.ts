export type { Place } from '@retriever/servers/contract'
