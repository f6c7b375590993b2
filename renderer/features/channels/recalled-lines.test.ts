import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it } from 'vitest'
import { createPushHistory } from '../../../companion/channel-status/push-history.ts'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { TargetState } from '../../../contract/rpc/targets.ts'
import { makeHold } from '../../testing/fake-hold.ts'
import { makeTarget } from '../../testing/fake-targets.ts'
import { useLive } from './live.ts'

const on = { profileId: 'local', cid: 'c'.repeat(32) }
beforeEach(() => setActivePinia(createPinia()))

const push = (at: number, kind: 'started' | 'ended', detail: string | null = null): AppEvent => ({
  type: 'push',
  ...on,
  at,
  kind,
  detail,
  remedy: null,
})
const hold = (at: number, change: Parameters<typeof makeHold>[0]): AppEvent => ({
  type: 'hold',
  ...on,
  at,
  hold: makeHold(change),
})
const target = (
  at: number,
  since: number,
  state: TargetState['state'],
  change: Partial<TargetState> = {},
): AppEvent => {
  const { kbps, dropped, reconnects, tries, nextTry, reason, answer } = makeTarget(1, change)
  const now = { state, since, kbps, dropped, reconnects, tries, nextTry, reason, answer }
  return { type: 'target', ...on, at, targetId: 1, target: now }
}
const onAir: AppEvent = {
  type: 'tallies',
  profileId: 'local',
  at: 5,
  source: 'event',
  fault: null,
  tallies: [{ cid: on.cid, status: 1, keyExpires: 0, viewers: 0, since: 1 }] as never,
}

/** The log of a page that heard `before`, was loaded again, and heard `again`, with what the companion kept. */
function logAfterReload(before: readonly AppEvent[], again: readonly AppEvent[], isRecalledFirst: boolean): unknown[] {
  const history = createPushHistory()
  for (const event of before) history.note(event)
  const live = useLive()
  const recall = (): void => live.recall(on.profileId, on.cid, history.of(on.profileId, on.cid).turns)
  if (isRecalledFirst) recall()
  for (const event of again) live.apply(event, 0, [])
  if (!isRecalledFirst) recall()
  // Again, as after the connection was lost.
  recall()
  return live.logOf(on.profileId, on.cid).map(({ at, kind, detail }) => [at, kind, detail])
}

it.each([true, false])('a page that is loaded again has losses, holds and targets, each once (%s)', (isFirst) => {
  const held = hold(130, { holding: true, byHand: true, since: 120, until: 900 })
  const sends = target(140, 60, 'retrying', { reason: 'noAnswer' })
  const before = [
    push(50, 'started'),
    target(60, 60, 'retrying', { reason: 'unreachable' }),
    hold(100, { holding: true, since: 100, until: 800 }),
    hold(3_100, { holding: false, lastHeld: 100, lastHeldFor: 3_000 }),
    held,
    sends,
  ]
  expect(logAfterReload(before, [onAir, held, sends], isFirst)).toEqual([
    [3_100, 'holdEnded', '3'],
    [130, 'held', null],
    [120, 'heldByHand', null],
    [100, 'held', null],
    [60, 'targetRetrying', `${on.profileId}/${on.cid}/1`],
    [50, 'started', null],
  ])
})

it.each([true, false])('a hold that outlasts its push is as long as it was, also after a reload (%s)', (isFirst) => {
  const byHand = { holding: true, byHand: true, since: 1_000 }
  const before: AppEvent[] = [
    push(50, 'started'),
    hold(1_000, byHand),
    { type: 'hold', ...on, at: 3_000, hold: null },
    push(3_000, 'ended', 'service'),
    push(37_000, 'started'),
    hold(37_100, { ...byHand, noPicture: true }),
    hold(38_000, { lastHeld: 1_000, lastHeldFor: 37_000 }),
  ]
  const ended = [38_000, 'holdEnded', '37']
  for (const event of before) useLive().apply(event, 0, [])
  expect(
    useLive()
      .logOf(on.profileId, on.cid)
      .map(({ at, kind, detail }) => [at, kind, detail])[0],
  ).toEqual(ended)
  setActivePinia(createPinia())
  expect(logAfterReload(before, before.slice(-1), isFirst)[0]).toEqual(ended)
})

it.each([true, false])('a hold from before the app began has one line, when its push came back (%s)', (isFirst) => {
  const held = { holding: true, byHand: true, noPicture: true, since: 10 }
  const later = hold(300, { ...held, delayed: 5 })
  expect(logAfterReload([push(50, 'started'), hold(60, held), later], [later], isFirst)).toEqual([
    [60, 'heldWithoutPicture', null],
    [50, 'started', null],
  ])
})

it.each([true, false])('the loss of an encoder has the time at which it was lost (%s)', (isFirst) => {
  const byHand = hold(200, { holding: true, byHand: true, since: 200, until: 900 })
  const later = hold(300, { holding: true, byHand: true, since: 200, until: 900, delayed: 5 })
  const before = [push(50, 'started'), hold(100, { holding: true, since: 100, until: 800 }), byHand, later]
  expect(logAfterReload(before, [later], isFirst)).toEqual([
    [200, 'heldByHand', null],
    [100, 'held', null],
    [50, 'started', null],
  ])
})

it('a target removed while on air has a line, also after a reload; one that is told of no more has none', () => {
  const gone: AppEvent = { type: 'target', ...on, at: 70, targetId: 1, target: null }
  const before = [push(50, 'started'), target(60, 60, 'sending'), gone, { ...gone, at: 80, removed: true } as AppEvent]
  const live = useLive()
  for (const event of [onAir, ...before]) live.apply(event, 0, [])
  const lines = live.logOf(on.profileId, on.cid).map(({ at, kind, detail }) => [at, kind, detail])
  expect(lines).toEqual([
    [80, 'targetRemoved', `${on.profileId}/${on.cid}/1`],
    [60, 'targetSending', `${on.profileId}/${on.cid}/1`],
    [50, 'started', null],
  ])
  setActivePinia(createPinia())
  expect(logAfterReload(before, [], true)).toEqual(lines)
})

it('a target that is removed off air leaves no line in the log of the broadcast before', () => {
  const removed: AppEvent = { type: 'target', ...on, at: 80, targetId: 1, target: null, removed: true }
  const live = useLive()
  const before = [push(50, 'started'), push(70, 'ended', 'stopped'), removed]
  for (const event of before) live.apply(event, 0, [])
  expect(live.logOf(on.profileId, on.cid).map(({ kind }) => kind)).toEqual(['ended', 'started'])
  setActivePinia(createPinia())
  expect(logAfterReload(before, [], true).map((line) => (line as unknown[])[1])).toEqual(['ended', 'started'])
})

it('tells by how much later viewers saw the end of a hold, also after a page was loaded again', () => {
  const history = createPushHistory()
  const live = useLive()
  const told = [
    push(1_000, 'started'),
    hold(2_000, { holding: true, since: 2_000, until: 122_000 }),
    hold(26_000, { lastHeld: 2_000, lastHeldFor: 24_000, goesOn: 51_000 }),
    // Told again as its key frame comes.
    hold(27_000, { lastHeld: 2_000, lastHeldFor: 24_000, goesOn: 52_000 }),
  ]
  const ends = () => live.logOf(on.profileId, on.cid).filter(({ kind }) => kind === 'holdEnded')
  for (const event of told) history.note(event)
  live.recall(on.profileId, on.cid, history.of(on.profileId, on.cid).turns)
  expect(ends()).toMatchObject([{ at: 26_000, detail: '24', later: 25 }])
  setActivePinia(createPinia())
  const other = useLive()
  for (const event of told) other.apply(event, 0, [])
  expect(other.logOf(on.profileId, on.cid)[0]).toMatchObject({ kind: 'holdEnded', detail: '24', later: 25 })
})
