/**
 * `@retriever/queue` retrieves long lists of URLs by many workers, on one machine or many. The list is a queue in
 * Redis, by BullMQ. See docs/scale.md.
 */
export type { FollowOptions } from './frontier/follow.ts'
export type { QueueEntry, QueueItem, QueueSource } from './frontier/source.ts'
export type { QueueFailure } from './outcomes/failures.ts'
export type { QueueProgress } from './outcomes/progress.ts'
export { type Added, type AddOptions, openQueue, type Queue } from './queue.ts'
export type { QueueOptions } from './queue-options.ts'
export type { ClusterConnection, QueueConnection } from './redis/connection.ts'
export { folderStore } from './stores/folder-store.ts'
export { functionStore, type StoreFunctions } from './stores/function-store.ts'
export type { Store, StoredUrl } from './stores/store.ts'
export type { WorkCounts, WorkOptions, WorkOutcome } from './turns/work-options.ts'
