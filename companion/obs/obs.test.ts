import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { scratch, until } from '../testing/rig.ts'
import { patience } from './obs-connection.ts'
import { lookEvery, settleWithin } from './obs-stream.ts'
import { type ObsDouble, startObsDouble } from './testing/obs-double.ts'
import { type ObsStage, startObsStage } from './testing/obs-stage.ts'

const [here, there] = ['a'.repeat(32), 'b'.repeat(32)]
const server = 'rtmp://127.0.0.1:1935/live'
const password = 'of the double'
let folder: ReturnType<typeof scratch>
let stage: ObsStage
let double: ObsDouble
const at = (more: object = {}) => ({ host: '127.0.0.1', port: double.port, enabled: true, ...more })
const is = (what: string, look: () => boolean): Promise<true> => until(what, () => look() || undefined)
/** Lets the time of one look pass, and waits until it is told. */
const look = async (): Promise<void> => {
  const before = stage.told.length
  stage.clock.advance(lookEvery)
  await is('figures', () => stage.told.length > before)
}
beforeEach(async () => {
  folder = scratch()
  double = await startObsDouble({ password })
  stage = await startObsStage(folder.dir)
  stage.addresses.set(here, { server, key: `${here}?wsSecret=one&wsTime=1` })
  stage.addresses.set(there, { server, key: `${there}?wsSecret=two&wsTime=2` })
})
afterEach(async () => {
  stage.obs.close()
  await double.close()
  folder[Symbol.dispose]()
})

it('is off until it is configured, then connected with the version of OBS', async () => {
  expect(stage.now()).toMatchObject({
    phase: 'off',
    enabled: false,
    host: '127.0.0.1',
    port: 4455,
    password: 'none',
    beyond: false,
    version: null,
    streaming: null,
  })
  expect(await stage.obs.configure(at({ password }))).toMatchObject({
    phase: 'connected',
    reason: null,
    enabled: true,
    password: 'session',
    version: '29.0.2',
    streaming: 'off',
    target: null,
    statistics: {
      from: 'OBS',
      fps: 29.97,
      cpu: 12.5,
      skipped: 1,
      lagged: 2,
      kbps: null,
      frames: null,
      dropped: null,
      congestion: null,
    },
  })
})

it('forgets the channel of a profile that is removed, also on disk, and leaves OBS as it is', async () => {
  await stage.obs.configure(at({ password }))
  await stage.obs.setUp({ profileId: 'far', cid: here })
  await stage.obs.forgetProfile('another')
  expect(stage.now().target).toMatchObject({ profileId: 'far' })
  await stage.obs.forgetProfile('far')
  expect(stage.now().target).toBeNull()
  expect(readFileSync(path.join(folder.dir, 'obs.json'), 'utf8')).not.toContain(here)
  expect(double.service).toMatchObject({ type: 'rtmp_custom' })
})

it('sets up and starts in one call, and knows its own stream again', async () => {
  await stage.obs.configure(at({ password }))
  expect(await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })).toEqual({
    outcome: 'done',
    code: null,
  })
  expect(double.service).toEqual({
    type: 'rtmp_custom',
    settings: { server, key: `${here}?wsSecret=one&wsTime=1`, use_auth: false },
  })
  expect(stage.now()).toMatchObject({ streaming: 'live', target: { profileId: 'local', cid: here } })
  expect(stage.told.map(({ streaming }) => streaming)).toContain('starting')
  // A newer key of the same channel is still the same channel.
  stage.addresses.set(here, { server, key: `${here}?wsSecret=three&wsTime=3` })
  expect(await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })).toEqual({
    outcome: 'already',
    code: null,
  })
  expect(await stage.obs.start()).toEqual({ outcome: 'already', code: null })
  expect(await stage.obs.stop()).toEqual({ outcome: 'done', code: null })
  expect(stage.now().streaming).toBe('off')
  expect(await stage.obs.stop()).toEqual({ outcome: 'already', code: null })
})

it('changes nothing of a stream to elsewhere unless it is told to end that first', async () => {
  await stage.obs.configure(at({ password }))
  double.streamIs(true)
  await is('the stream', () => stage.now().streaming === 'live')
  const before = double.service
  expect(await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })).toEqual({
    outcome: 'busyElsewhere',
    code: null,
  })
  expect(await stage.obs.setUp({ profileId: 'local', cid: here })).toEqual({ outcome: 'busyElsewhere', code: null })
  expect(double.service).toBe(before)
  expect(stage.now()).toMatchObject({ streaming: 'live', target: null })
  expect(await stage.obs.goLive({ profileId: 'local', cid: here, instead: true })).toEqual({
    outcome: 'done',
    code: null,
  })
  expect(stage.now()).toMatchObject({ streaming: 'live', target: { profileId: 'local', cid: here } })
  expect(await stage.obs.goLive({ profileId: 'local', cid: there, instead: false })).toEqual({
    outcome: 'busyElsewhere',
    code: null,
  })
})

it('starts what was set up before, and says when the stream does not come up', async () => {
  await stage.obs.configure(at({ password }))
  expect(await stage.obs.setUp({ profileId: 'local', cid: here })).toEqual({ outcome: 'done', code: null })
  double.faults.failStart = true
  expect(await stage.obs.start()).toEqual({ outcome: 'notStarted', code: null })
  expect(stage.now().streaming).toBe('off')
  double.faults.failStart = false
  double.faults.hangStart = true
  const late = stage.obs.start()
  await is('starting', () => stage.now().streaming === 'starting')
  expect(await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })).toEqual({
    outcome: 'occupied',
    code: null,
  })
  await is('the request', () => double.requests.filter(({ type }) => type === 'StartStream').length === 2)
  // The wait for the stream is on the clock as soon as the request is answered.
  await until('the end of the wait', () => {
    stage.clock.advance(settleWithin)
    return Promise.race([late, new Promise<undefined>((resolve) => setImmediate(resolve, undefined))])
  })
  expect(['notStarted', 'slow', 'notConnected']).toContain((await late).outcome)
  double.faults.hangStart = false
})

it('tells a refusal of OBS by its code, without its words', async () => {
  await stage.obs.configure(at({ password }))
  double.faults.reject = { to: 'SetStreamServiceSettings', code: 500, comment: 'you sent me wsSecret=one' }
  expect(await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })).toEqual({
    outcome: 'rejected',
    code: 500,
  })
  double.faults.reject = { to: 'StartStream', code: 207, comment: 'not ready' }
  expect(await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })).toEqual({
    outcome: 'rejected',
    code: 207,
  })
  expect(stage.now()).toMatchObject({ phase: 'connected', streaming: 'off' })
  await expect(stage.obs.goLive({ profileId: 'local', cid: 'c'.repeat(32), instead: false })).rejects.toMatchObject({
    data: { kind: 'absent' },
  })
})

it('does not send OBS on another computer to a service that only this one can reach', async () => {
  // The double stands for another computer: what is asked to connect to it goes to loopback.
  const beyond = await startObsStage(folder.dir, stage.vault, { reach: '127.0.0.1' })
  beyond.addresses.set(here, { server, key: `${here}?wsSecret=one` })
  beyond.addresses.set(there, { server: 'rtmp://192.0.2.7/live', key: `${there}?wsSecret=two` })
  expect(await beyond.obs.configure(at({ host: 'studio.example', password }))).toMatchObject({
    phase: 'connected',
    beyond: true,
  })
  expect(await beyond.obs.goLive({ profileId: 'local', cid: here, instead: false })).toEqual({
    outcome: 'loopback',
    code: null,
  })
  expect(double.requests.map(({ type }) => type)).not.toContain('SetStreamServiceSettings')
  expect(await beyond.obs.goLive({ profileId: 'local', cid: there, instead: false })).toEqual({
    outcome: 'done',
    code: null,
  })
  beyond.obs.close()
})

it('answers that there is no OBS where none is', async () => {
  expect(await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })).toEqual({
    outcome: 'notConnected',
    code: null,
  })
  await double.close()
  expect(await stage.obs.configure(at({ password }))).toMatchObject({ phase: 'absent', reason: 'absent' })
  expect(await stage.obs.stop()).toEqual({ outcome: 'notConnected', code: null })
  double = await startObsDouble({ password, port: double.port })
  // One click reaches an OBS that was started meanwhile, without waiting for the next try.
  expect(await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })).toEqual({
    outcome: 'done',
    code: null,
  })
})

it('stays stopping while OBS, which is stopping, still counts its stream as active, and is off when that ends', async () => {
  await stage.obs.configure(at({ password }))
  await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })
  double.tells('OBS_WEBSOCKET_OUTPUT_STOPPING')
  await is('stopping', () => stage.now().streaming === 'stopping')
  await look()
  expect(stage.now().streaming).toBe('stopping')
  double.stream.active = false
  await look()
  expect(stage.now().streaming).toBe('off')
})

it('stays starting while OBS, which is starting, counts its stream as stopped, and is off when that lasts', async () => {
  await stage.obs.configure(at({ password }))
  double.tells('OBS_WEBSOCKET_OUTPUT_STARTING')
  await is('starting', () => stage.now().streaming === 'starting')
  // It has 15 s.
  for (let waited = 0; waited < 14_000; waited += lookEvery) {
    await look()
    expect(stage.now().streaming).toBe('starting')
  }
  await look()
  expect(stage.now().streaming).toBe('off')
})

it('learns by looking that OBS connects again to its server, and that it is live again', async () => {
  await stage.obs.configure(at({ password }))
  await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })
  double.faults.answer = { to: 'GetStreamStatus', data: { outputReconnecting: true } }
  await look()
  expect(stage.now().streaming).toBe('reconnecting')
  delete double.faults.answer
  await look()
  expect(stage.now().streaming).toBe('live')
})

it('computes the rate from bytes, every 2 s while someone watches and not otherwise', async () => {
  await stage.obs.configure(at({ password }))
  await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })
  const looks = (): number => double.requests.filter(({ type }) => type === 'GetStats').length
  await look()
  double.stream.bytes += 500_000
  await look()
  expect(stage.now().statistics).toMatchObject({ kbps: 2_000, frames: 300, dropped: 3, congestion: 0.25 })
  // Another stream counts from the beginning: no rate rather than a wrong one.
  double.stream.bytes = 10
  await look()
  expect(stage.now().statistics).toMatchObject({ kbps: null })
  stage.watched = false
  const asked = looks()
  const told = stage.told.length
  for (let turn = 0; turn < 5; turn++) {
    stage.clock.advance(lookEvery)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect([looks(), stage.told.length]).toEqual([asked, told])
})

it('keeps the password for its host only, in the vault only, and forgets it on request', async () => {
  await stage.obs.configure(at({ password }))
  stage.obs.close()
  const again = await startObsStage(folder.dir, stage.vault)
  await is('connected again', () => again.now().phase === 'connected')
  expect(await again.obs.configure(at({}))).toMatchObject({ phase: 'connected', password: 'session' })
  // Whatever answers under another name does not get it.
  const elsewhere = await again.obs.configure(at({ host: 'localhost' }))
  expect(elsewhere.password).toBe('none')
  expect(elsewhere.phase).not.toBe('connected')
  expect(await again.vault.get('test:obs')).toBeUndefined()
  expect(await again.obs.configure(at({ password }))).toMatchObject({ phase: 'connected' })
  expect(await again.obs.configure(at({ password: null }))).toMatchObject({
    phase: 'refused',
    reason: 'noPassword',
    password: 'none',
  })
  expect(await again.obs.configure(at({ enabled: false }))).toMatchObject({ phase: 'off', enabled: false })
  await is('the line closed', () => double.met.open === 0)
  again.obs.close()
})

const types = (): string[] => double.requests.map(({ type }) => type)

it('does not count OBS as set to its channel after a start of OBS that is set to another one', async () => {
  await stage.obs.configure(at({ password }))
  await stage.obs.setUp({ profileId: 'local', cid: here })
  expect(stage.now().target).toEqual({ profileId: 'local', cid: here })
  double.service.settings = { server, key: `${there}?wsSecret=two` }
  await stage.obs.configure(at())
  expect(stage.now()).toMatchObject({ phase: 'connected', target: null })
  double.service.settings = { server, key: `${here}?wsSecret=nine` }
  await stage.obs.configure(at())
  expect(stage.now().target).toEqual({ profileId: 'local', cid: here })
  double.service.settings = { server: 'rtmp://elsewhere.example/live', key: `${here}?wsSecret=nine` }
  await stage.obs.configure(at())
  expect(stage.now().target).toBeNull()
  double.service = { type: 'rtmp_common', settings: { server, key: `${here}?wsSecret=nine` } }
  await stage.obs.configure(at())
  expect(stage.now().target).toBeNull()
})

it('looks what OBS is set to only where a channel was set up before', async () => {
  await stage.obs.configure(at({ password }))
  expect(types()).not.toContain('GetStreamServiceSettings')
  await stage.obs.setUp({ profileId: 'local', cid: here })
  await stage.obs.configure(at())
  expect(types()).toContain('GetStreamServiceSettings')
})

it('takes a live stream to the same address for the channel that is asked for now', async () => {
  await stage.obs.configure(at({ password }))
  await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })
  expect(await stage.obs.setUp({ profileId: 'far', cid: here })).toEqual({ outcome: 'already', code: null })
  expect(stage.now().target).toEqual({ profileId: 'far', cid: here })
  expect(types().filter((type) => type === 'SetStreamServiceSettings')).toHaveLength(1)
})

it('stops a stream that is still starting at once, though its start is not over', async () => {
  await stage.obs.configure(at({ password }))
  double.faults.hangStart = true
  const starting = stage.obs.start()
  await is('starting', () => types().includes('StartStream') && stage.now().streaming === 'starting')
  const before = types().length
  expect(await stage.obs.stop()).toEqual({ outcome: 'done', code: null })
  // It asked for no figures first.
  expect(types().slice(before)[0]).toBe('StopStream')
  expect(await starting).toEqual({ outcome: 'notStarted', code: null })
  expect(stage.now().streaming).toBe('off')
})

it('says that the connection is lost when that happens while a stream starts', async () => {
  await stage.obs.configure(at({ password }))
  double.faults.hangStart = true
  const starting = stage.obs.start()
  await is('the request', () => types().includes('StartStream'))
  await double.close()
  expect(await starting).toEqual({ outcome: 'notConnected', code: null })
})

it('says that OBS is slow when its stream does not stop in time, and starts nothing in its place', async () => {
  await stage.obs.configure(at({ password }))
  double.streamIs(true)
  await is('the stream', () => stage.now().streaming === 'live')
  double.faults.hangStop = true
  // A look that waits as long would end the connection.
  stage.watched = false
  const going = stage.obs.goLive({ profileId: 'local', cid: here, instead: true })
  await is('the request', () => types().includes('StopStream'))
  const answer = await until('the end of the wait', () => {
    stage.clock.advance(settleWithin)
    return Promise.race([going, new Promise<undefined>((resolve) => setImmediate(resolve, undefined))])
  })
  expect(answer).toEqual({ outcome: 'slow', code: null })
  expect(types()).not.toContain('SetStreamServiceSettings')
})

it('forgets the rate of a connection with the next one', async () => {
  await stage.obs.configure(at({ password }))
  await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })
  await look()
  double.stream.bytes += 500_000
  await look()
  expect(stage.now().statistics?.kbps).toBe(2_000)
  double.stream.bytes += 500_000
  stage.clock.advance(1_999)
  await stage.obs.configure(at())
  expect(stage.now().statistics).toMatchObject({ kbps: null, frames: 300 })
})

it('writes each change of its phase to the log once, with its reason', async () => {
  await stage.obs.configure(at({ password }))
  await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })
  await stage.obs.configure(at({ password: 'wrong' }))
  await stage.obs.configure(at({ enabled: false }))
  expect(stage.log).toEqual([
    'OBS off',
    'OBS connecting',
    'OBS connected',
    'OBS off',
    'OBS connecting',
    'OBS refused: password',
    'OBS off',
  ])
})

it('tells nothing and tries nothing once it is closed', async () => {
  await stage.obs.configure(at({ password }))
  const told = stage.told.length
  stage.obs.close()
  await is('the end of the connection', () => double.met.open === 0)
  stage.clock.advance(10 * lookEvery)
  expect([stage.told.length, stage.clock.waiting(), double.met.came]).toEqual([told, 0, 1])
})

it('ends a connection over which an action is not answered, or with what is no answer, and says so', async () => {
  stage.watched = false
  await stage.obs.configure(at({ password }))
  double.faults.mute = 'SetStreamServiceSettings'
  const slow = stage.obs.goLive({ profileId: 'local', cid: here, instead: false })
  await is('the request', () => types().includes('SetStreamServiceSettings'))
  stage.clock.advance(patience)
  expect(await slow).toEqual({ outcome: 'slow', code: null })
  await is('the end of the connection', () => stage.now().phase === 'failed' && double.met.open === 0)
  expect(stage.now()).toMatchObject({ reason: 'slow', streaming: null })
  double.faults.mute = false
  await stage.obs.connect()
  double.faults.answer = { to: 'GetStreamStatus', data: { outputActive: 'yes' } }
  expect(await stage.obs.start()).toEqual({ outcome: 'notConnected', code: null })
  await is('the end of the next one', () => stage.now().phase === 'failed' && double.met.open === 0)
  expect(stage.now().reason).toBe('foreign')
})
