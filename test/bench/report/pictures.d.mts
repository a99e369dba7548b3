import type { Group } from './page.mjs'

export function picture(group: Group): string
