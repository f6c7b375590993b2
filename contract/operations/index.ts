import type { Operation } from '../operation.ts'
import { accounts, friends, relations } from './accounts.ts'
import { chatrooms, queue, robots } from './chatrooms.ts'
import { live } from './live.ts'
import { local } from './local.ts'
import { history, messages } from './messages.ts'
import { recordings } from './recordings.ts'
import { statistics } from './statistics.ts'
import { teams } from './teams.ts'

export { accounts, friends, relations } from './accounts.ts'
export { chatrooms, queue, robots } from './chatrooms.ts'
export { live } from './live.ts'
export { local } from './local.ts'
export { history, messages } from './messages.ts'
export { recordings } from './recordings.ts'
export { statistics } from './statistics.ts'
export { teams } from './teams.ts'

/** All operations in order of documentation. */
export const operations: readonly Operation[] = [
  live,
  recordings,
  accounts,
  friends,
  relations,
  messages,
  teams,
  history,
  chatrooms,
  queue,
  robots,
  statistics,
  local,
].flatMap((group): Operation[] => Object.values(group))
