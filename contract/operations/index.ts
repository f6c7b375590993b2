import type { Operation } from '../operation.ts'
import { live } from './live.ts'
import { local } from './local.ts'
import { recordings } from './recordings.ts'

export { live } from './live.ts'
export { local } from './local.ts'
export { recordings } from './recordings.ts'

/** Every operation of the contract in documentation order. */
export const operations: readonly Operation[] = [live, recordings, local].flatMap((group): Operation[] => Object.values(group))
