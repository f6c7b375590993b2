import { z } from 'zod'
import { profileId } from './ids.ts'
import {
  accounts,
  chatrooms,
  friends,
  history,
  local,
  messages,
  queue,
  relations,
  statistics,
  teams,
} from '../operations/index.ts'
import type { Answer, Arguments, Operation } from '../operation.ts'
import { readParameters } from '../validate.ts'
import { isNoneOrSeen, unseen } from './named.ts'
import { forPage, seatFacts, type SeatRule } from './procedure.ts'

/** Whether arguments are valid; arrays are arrays here, whatever the encoding. */
export const isAcceptable =
  (operation: Operation) =>
  (value: unknown): boolean =>
    typeof value === 'object' && value !== null && readParameters({ ...operation, encoding: 'json' }, value).ok

/** Parameters of an operation; non-empty ones in `names` must also be visible. */
export const parametersOf = <O extends Operation>(operation: O, names: readonly string[] = []) =>
  z
    .custom<Arguments<O>>(isAcceptable(operation))
    .refine((call) => names.every((name) => isNoneOrSeen((call as Readonly<Record<string, unknown>>)[name])), unseen)

/** A procedure with the parameters and answer of an operation. */
export const procedureOf = <O extends Operation>(operation: O, names?: readonly string[]) =>
  forPage(operation.summary)
    .input(z.strictObject({ profileId, call: parametersOf(operation, names) }))
    .output(z.custom<Answer<O>>((value) => typeof value === 'object'))

const pick = <G extends Record<string, Operation>, K extends keyof G>(group: G, ...names: readonly K[]): Pick<G, K> =>
  Object.fromEntries(names.map((name) => [name, group[name]])) as Pick<G, K>

/** Operations that pages call directly, by group; none whose answer has secrets. */
export const pageOperations = {
  accounts: pick(accounts, 'block', 'unblock', 'updateUinfo', 'getUinfos', 'setDonnop'),
  friends,
  relations,
  messages: pick(messages, 'send', 'sendBatch', 'notify', 'recall'),
  history: pick(history, 'session', 'team', 'userEvents'),
  teams,
  chatrooms: pick(chatrooms, 'get', 'membersByPage', 'queryMembers'),
  queue: pick(queue, 'list'),
  statistics: pick(statistics, 'topn'),
  local: pick(local, 'endSessions', 'words', 'setWords', 'muted', 'blacklisted', 'held'),
  access: pick(
    local,
    'access',
    'revokeNamedLink',
    'restoreNamedLink',
    'removeNamedLink',
    'watchLimits',
    'updateWatchLimits',
    'schedule',
    'setSchedule',
    'setNextTitle',
  ),
  reach: pick(local, 'reach', 'updateReach', 'checkReach', 'visits', 'proxySnippet'),
  broadcast: pick(local, 'broadcasts', 'broadcast', 'setBroadcastTitle', 'removeBroadcast'),
  hold: pick(local, 'hold', 'updateHold', 'holdNow', 'holdBack', 'dumpDelay'),
}
/** Groups of these operations. */
export type PageOperations = typeof pageOperations

/** Parameters that are names and must be visible. */
const names = new Map<Operation, readonly string[]>([
  [accounts.updateUinfo, ['name']],
  [friends.update, ['alias']],
  [teams.create, ['tname']],
  [teams.update, ['tname']],
  [teams.updateTeamNick, ['nick']],
])

/** Those that moderators may call for their room. */
const seats = new Map<Operation, Pick<SeatRule, 'isOfModerators'>>([
  [chatrooms.get, {}],
  [chatrooms.membersByPage, {}],
  [chatrooms.queryMembers, {}],
  [queue.list, {}],
  [local.muted, { isOfModerators: true }],
  [local.blacklisted, { isOfModerators: true }],
  [local.held, { isOfModerators: true }],
])
const procedureFor = (operation: Operation) => {
  const made = procedureOf(operation, names.get(operation))
  const seat = seats.get(operation)
  return seat ? made.meta({ docs: operation.summary, ...seatFacts({ names: 'call', ...seat }) }) : made
}

/** A procedure for each of them. */
export const operationProcedures = Object.fromEntries(
  Object.entries(pageOperations).map(([group, operations]) => [
    group,
    Object.fromEntries(
      Object.entries(operations).map(([name, operation]: [string, Operation]) => [name, procedureFor(operation)]),
    ),
  ]),
) as {
  [G in keyof PageOperations]: {
    [K in keyof PageOperations[G]]: PageOperations[G][K] extends infer O extends Operation
      ? ReturnType<typeof procedureOf<O>>
      : never
  }
}
