import { expect, it } from 'vitest'
import type { AppEvent, Figures, HoldState, ServiceState, TargetState } from '../../contract/rpc/index.ts'
import { createPushHistory } from './push-history.ts'

const cid = 'a'.repeat(32)
const figures = (at: number, kbps: number | null, channel = cid): AppEvent => ({
  type: 'figures',
  profileId: 'local',
  cid: channel,
  at,
  figures: kbps === null ? null : ({ kbps, fps: 30, drift: 0 } as Figures),
})
const push = (
  at: number,
  kind: 'started' | 'codecs' | 'ended' | 'refused' | 'replaced',
  detail: string | null = null,
  channel = cid,
): AppEvent => ({
  type: 'push',
  profileId: 'local',
  cid: channel,
  at,
  kind,
  detail,
  remedy: null,
})
const tallies = (at: number, fault: (AppEvent & { type: 'tallies' })['fault']): AppEvent => ({
  type: 'tallies',
  profileId: 'local',
  at,
  source: 'event',
  fault,
  tallies: [],
})
const service = (phase: 'running' | 'restarting', since: number | null): AppEvent => ({
  type: 'service',
  service: { phase, since } as ServiceState,
})

it('keeps ten minutes of figures and the turns of a push, oldest first', () => {
  const history = createPushHistory()
  history.note(push(0, 'started'))
  history.note(push(5, 'codecs', 'H.264'))
  for (let at = 1_000; at <= 700_000; at += 1_000) history.note(figures(at, at / 1_000))
  history.note(figures(700_500, null))
  history.note(push(700_500, 'ended', 'lost'))
  const { samples, turns } = history.of('local', cid)
  expect([samples.length, samples[0]?.at, samples.at(-1)?.kbps]).toEqual([601, 100_000, 700])
  expect(turns.map(({ at, kind, detail }) => [at, kind, detail])).toEqual([
    [0, 'started', null],
    [700_500, 'ended', 'lost'],
  ])
  expect(history.of('hosted', cid)).toEqual({ samples: [], turns: [] })
})

it('notes once that a running push was lost with the service, and nothing of one that had ended', () => {
  const history = createPushHistory()
  const other = 'b'.repeat(32)
  history.note(figures(10, 1))
  history.note(push(10, 'started', null, other))
  history.note(push(20, 'ended', 'stopped', other))
  history.note(push(25, 'refused'))
  // It answers late, and goes on.
  history.note(tallies(28, 'lost'))
  history.note(service('running', null))
  expect(history.of('local', cid).turns).toHaveLength(1)
  for (const at of [30, 30]) history.note(service('restarting', at))
  expect(history.of('local', cid).turns.map(({ kind, detail }) => [kind, detail])).toEqual([
    ['refused', null],
    ['ended', 'service'],
  ])
  expect(history.of('local', other).turns).toHaveLength(2)
})

it('keeps begins and ends of pushes beside a flood of refusals, whose newest it keeps', () => {
  const history = createPushHistory()
  history.note(push(0, 'started'))
  history.note(push(1, 'ended', 'lost'))
  for (let at = 2; at < 1_000; at++) history.note(push(at, 'refused'))
  const { turns } = history.of('local', cid)
  expect(turns.slice(0, 3).map(({ at, kind }) => [at, kind])).toEqual([
    [0, 'started'],
    [1, 'ended'],
    [950, 'refused'],
  ])
  expect([turns.length, turns.at(-1)?.at]).toEqual([52, 999])
})

it('is bounded in turns and channels', () => {
  const history = createPushHistory()
  for (let at = 0; at < 500; at++) history.note(push(at, 'started'))
  expect(history.of('local', cid).turns).toHaveLength(200)
  expect(history.of('local', cid).turns[0]?.at).toBe(300)
  for (let channel = 0; channel < 300; channel++)
    history.note(push(1_000, 'refused', null, channel.toString(16).padStart(32, '0')))
  expect(history.of('local', cid).turns).toEqual([])
  expect(history.of('local', (299).toString(16).padStart(32, '0')).turns).toHaveLength(1)
})

it('keeps at most 660 figures of a channel, and where a refused push came from', () => {
  const history = createPushHistory()
  for (let at = 0; at < 700; at++) history.note(figures(at, at))
  expect(history.of('local', cid).samples).toHaveLength(660)
  expect(history.of('local', cid).samples[0]).toEqual({ at: 40, kbps: 40, fps: 30, drift: 0 })
  history.note({ ...push(800, 'refused', 'bad key'), from: '192.0.2.1', remedy: 'key' } as AppEvent)
  history.note(push(801, 'replaced', 'again'))
  expect(history.of('local', cid).turns).toEqual([
    { at: 800, kind: 'refused', detail: 'bad key', remedy: 'key', from: '192.0.2.1' },
    { at: 801, kind: 'replaced', detail: 'again', remedy: null },
  ])
})

it('lists the channels that it has seen, the latest last, and gives copies of what it keeps', () => {
  const history = createPushHistory()
  const other = 'b'.repeat(32)
  history.note(push(1, 'started'))
  history.note({ ...figures(2, 1, other), profileId: 'hosted' } as AppEvent)
  expect(history.channels()).toEqual([
    { profileId: 'local', cid },
    { profileId: 'hosted', cid: other },
  ])
  history.note(figures(3, 1))
  expect(history.channels().at(-1)).toEqual({ profileId: 'local', cid })
  const { samples, turns } = history.of('local', cid)
  samples.length = 0
  turns.length = 0
  expect(history.of('local', cid)).toMatchObject({ samples: [{ at: 3 }], turns: [{ at: 1 }] })
})

it('does not end the pushes of a hosted service with the embedded one', () => {
  const history = createPushHistory()
  history.note({ ...figures(1, 1), profileId: 'hosted' } as AppEvent)
  history.note(figures(1, 1))
  history.note(service('restarting', 5))
  expect(history.of('hosted', cid).turns).toEqual([])
  expect(history.of('local', cid).turns).toEqual([{ at: 5, kind: 'ended', detail: 'service', remedy: null }])
})

it('notes holds and what became of targets once each, and lets them drop no turns of the push', () => {
  const history = createPushHistory()
  history.note(push(0, 'started'))
  const hold = (at: number, holding: boolean, byHand = false): void =>
    history.note({
      type: 'hold',
      profileId: 'local',
      cid,
      at,
      hold: { holding, byHand, since: at, lastHeld: 1, lastHeldFor: 1_400 } as HoldState,
    })
  const target = (since: number, state: TargetState['state'] | null): void =>
    history.note({
      type: 'target',
      profileId: 'local',
      cid,
      at: since,
      targetId: 3,
      target: state && ({ state, since, reason: null, kbps: 0 } as TargetState),
    })
  target(1, 'connecting')
  for (const at of [2, 2]) target(at, 'sending')
  hold(3, true)
  hold(3, true)
  hold(4, false)
  hold(5, true, true)
  target(6, 'retrying')
  target(7, 'connecting')
  target(8, 'retrying')
  target(9, null)
  target(10, 'retrying')
  target(11, 'stalled')
  expect(history.of('local', cid).turns.map(({ at, kind, detail }) => [at, kind, detail])).toEqual([
    [0, 'started', null],
    [2, 'targetSending', '3'],
    [3, 'held', null],
    [4, 'holdEnded', '1'],
    [5, 'heldByHand', null],
    [6, 'targetRetrying', '3'],
    [10, 'targetRetrying', '3'],
    [11, 'targetStalled', '3'],
  ])
  for (let at = 100; at < 300; at++) hold(at, at % 2 === 1)
  const { turns } = history.of('local', cid)
  expect([turns.length, turns[0]?.kind]).toEqual([51, 'started'])
})

it('notes in every push what becomes of a target, also that it has no key', () => {
  const history = createPushHistory()
  for (const at of [1, 3]) {
    history.note(push(at, 'started'))
    const target = { state: 'noKey', since: at, reason: null, kbps: 0 } as TargetState
    history.note({ type: 'target', profileId: 'local', cid, at, targetId: 3, target })
  }
  expect(history.of('local', cid).turns.map(({ at, kind }) => [at, kind])).toEqual([
    [1, 'started'],
    [1, 'targetNoKey'],
    [3, 'started'],
    [3, 'targetNoKey'],
  ])
})

it('a target that waits for a picture is told as one that sends once it gets one', () => {
  const history = createPushHistory()
  const target = (since: number, state: TargetState['state']): void =>
    history.note({
      type: 'target',
      profileId: 'local',
      cid,
      at: since,
      targetId: 3,
      target: { state, since, reason: null, kbps: 0 } as TargetState,
    })
  history.note(push(0, 'started'))
  target(2, 'waiting')
  target(9, 'sending')
  expect(history.of('local', cid).turns.map(({ at, kind }) => [at, kind])).toEqual([
    [0, 'started'],
    [9, 'targetSending'],
  ])
})

it('a hold by hand that comes back without a picture is a turn when it does, also after the service was gone', () => {
  const history = createPushHistory()
  const hold = (at: number, told: Partial<HoldState> | null): void =>
    history.note({
      type: 'hold',
      profileId: 'local',
      cid,
      at,
      hold: told && ({ holding: true, byHand: true, noPicture: false, since: 1, until: null, ...told } as HoldState),
    })
  hold(1, {})
  // Twice, as it may be lost again meanwhile.
  for (const at of [5, 9]) {
    hold(at, null)
    hold(at + 1, { holding: false, byHand: false, since: null, lastHeld: null })
    hold(at + 2, { noPicture: true })
  }
  hold(37_000, { holding: false, byHand: false, since: null, lastHeld: 1, lastHeldFor: 36_999 })
  expect(history.of('local', cid).turns.map(({ at, kind, detail }) => [at, kind, detail])).toEqual([
    [1, 'heldByHand', null],
    [7, 'heldWithoutPicture', null],
    [11, 'heldWithoutPicture', null],
    // From its begin, not from the push that came back.
    [37_000, 'holdEnded', '37'],
  ])
})

it('the loss of an encoder is a turn also while the picture is held by hand', () => {
  const history = createPushHistory()
  const hold = (at: number, told: Partial<HoldState>): void =>
    history.note({
      type: 'hold',
      profileId: 'local',
      cid,
      at,
      hold: { holding: true, byHand: true, since: 1, until: null, lastHeld: null, ...told } as HoldState,
    })
  history.note(push(0, 'started'))
  hold(1, {})
  hold(2, { until: 60_000 })
  hold(3, { until: 60_000 })
  hold(4, {})
  hold(5, { holding: false, byHand: false, since: null, lastHeld: 1 })
  hold(6, { byHand: false, since: 6, until: 60_000 })
  // The hold runs out with the push, and leaves no picture that goes on.
  hold(7, { holding: false, byHand: false, since: null })
  expect(history.of('local', cid).turns.map(({ at, kind }) => [at, kind])).toEqual([
    [0, 'started'],
    [1, 'heldByHand'],
    [2, 'held'],
    [4, 'returned'],
    [5, 'holdEnded'],
    [6, 'held'],
  ])
})

it('a hold that ends after a gap in what the service tells has its end, and its begin once', () => {
  const history = createPushHistory()
  const hold = (at: number, told: Partial<HoldState> | null): void =>
    history.note({
      type: 'hold',
      profileId: 'local',
      cid,
      at,
      hold:
        told && ({ holding: true, byHand: false, since: 1_000, until: 121_000, lastHeld: null, ...told } as HoldState),
    })
  history.note(push(0, 'started'))
  hold(1_000, {})
  hold(5_000, null)
  hold(9_000, {})
  hold(34_000, null)
  hold(34_000, { holding: false, since: null, until: null, lastHeld: 1_000, lastHeldFor: 33_000 })
  expect(history.of('local', cid).turns.map(({ at, kind, detail }) => [at, kind, detail])).toEqual([
    [0, 'started', null],
    [1_000, 'held', null],
    [34_000, 'holdEnded', '33'],
  ])
})

it('drops channels of the profile that has most of them, and all of one that is gone', () => {
  const history = createPushHistory()
  const started = (profileId: string, channel: string): void =>
    history.note({ ...push(1, 'started', null, channel), profileId } as AppEvent)
  started('local', cid)
  for (let count = 0; count < 1_000; count++) started('far', String(count))
  expect(history.of('local', cid).turns).toHaveLength(1)
  expect(history.channels()).toHaveLength(256)
  expect(history.of('far', '999').turns).toHaveLength(1)
  history.forget('far')
  expect(history.channels()).toEqual([{ profileId: 'local', cid }])
})
