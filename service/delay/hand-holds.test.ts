import { expect, onTestFinished, test } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import type { WatchState } from '../../contract/watch.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { temporaryFolder } from '../hub/testing/fixture.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { aacHeader, avcHeader, interFrame, keyFrame } from '../ingest/testing/rtmp-test-server.ts'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { madeAgain } from '../journal/testing/made-again.ts'
import { silentLog } from '../log.ts'
import { FlvReader } from '../media/flv-reader.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { createHeldWrites } from '../storage/held-writes.ts'
import { openStore } from '../storage/testing/open-store.ts'
import { refuseRows, takeRows } from '../testing/beside.ts'
import { eventually } from '../testing/eventually.ts'
import { killedService } from '../testing/killed-service.ts'
import { startService } from '../testing/start-service.ts'
import { createHandHolds, returnsWithin } from './hand-holds.ts'

const cid = 'a'.repeat(32)

/** Holds by hand over a database; `start` is a start over it, those before are not closed, as by SIGKILL. */
async function stored() {
  const folder = temporaryFolder()
  const store = await openStore(folder.path)
  onTestFinished(async () => {
    await store.close()
    folder.remove()
  })
  const start = async (from?: number, holdSeconds = 120, elsewhere?: (cid: string) => boolean) => {
    const clock = manualClock(from)
    const held = createHeldWrites({ clock, log: silentLog, changed: () => undefined })
    const failed = (error: unknown): void => {
      throw error
    }
    const journal = madeAgain(createMemoryJournal(store))
    const holdFor = (): number => holdSeconds * 1000
    return {
      clock,
      hands: await createHandHolds({ db: store.db, journal, held, clock, holdFor, failed, elsewhere }),
      journal,
    }
  }
  return { start, db: store.db, rows: () => store.db.selectFrom('handHold').selectAll().execute() }
}

test('the push that comes back after a start is held, another one later is not', async () => {
  const { start, rows } = await stored()
  const first = await start()
  const since = first.clock.now()
  await first.hands.begin(cid, since)
  expect(first.hands.returned(cid)).toBeUndefined()
  const second = await start()
  second.clock.advance(120_000 + returnsWithin - 1)
  expect([second.hands.awaitedUntil(cid), second.hands.returned(cid)]).toEqual([second.clock.now() + 1, since])
  second.clock.advance(returnsWithin)
  expect(await rows()).toEqual([{ cid, since }])
  // It is back: a push that begins after its end is another broadcast.
  await second.hands.end(cid)
  expect([await rows(), (await start()).hands.returned(cid)]).toEqual([[], undefined])
})

test('the push that comes back within 5 minutes of the end of one that was lost is held, and none after', async () => {
  const { start, rows } = await stored()
  const { clock, hands } = await start()
  const since = clock.now()
  await hands.begin(cid, since)
  hands.lost(cid)
  clock.advance(returnsWithin - 1)
  expect([hands.awaitedUntil(cid), hands.returned(cid)]).toEqual([clock.now() + 1, since])
  clock.advance(returnsWithin)
  expect(await rows()).toEqual([{ cid, since }])
  hands.lost(cid)
  clock.advance(returnsWithin)
  await eventually(async () => expect(await rows()).toEqual([]))
  expect([hands.awaitedUntil(cid), hands.returned(cid)]).toEqual([undefined, undefined])
  // Of a push that was not held, none is awaited.
  hands.lost(cid)
  expect(hands.awaitedUntil(cid)).toBeUndefined()
})

test('a hold whose push does not come back in time, or of a day ago, is over', async () => {
  const { start, rows } = await stored()
  const first = await start()
  await first.hands.begin(cid, first.clock.now())
  const second = await start(undefined, 0)
  second.clock.advance(returnsWithin)
  expect(second.hands.returned(cid)).toBeUndefined()
  await eventually(async () => expect(await rows()).toEqual([]))
  await second.hands.begin(cid, first.clock.now())
  const third = await start(first.clock.now() + 24 * 3_600_000 + 1)
  await eventually(() => expect(third.hands.awaitedUntil(cid)).toBeUndefined())
  await eventually(async () => expect(await rows()).toEqual([]))
})

test('on a full disk it is held all the same, and stored when there is room', async () => {
  const { start, db, rows } = await stored()
  const { clock, hands } = await start()
  await refuseRows(db, 'handHold')
  expect(await hands.begin(cid, 5)).toBe('other')
  expect(await rows()).toEqual([])
  await takeRows(db, 'handHold')
  clock.advance(1_000)
  await eventually(async () => expect(await rows()).toEqual([{ cid, since: 5 }]))
})

test('another service holds and ends it, but not what is in force here and not stored', async () => {
  const { start, db, rows } = await stored()
  const { clock, hands, journal } = await start()
  journal.byAnother('handHold', { cid, since: 7 })
  expect(hands.isHeld(cid)).toBe(true)
  hands.lost(cid)
  journal.byAnother('handHold', { cid, since: null })
  expect([hands.isHeld(cid), hands.awaitedUntil(cid)]).toEqual([false, undefined])

  await refuseRows(db, 'handHold')
  expect(await hands.begin(cid, 5)).toBe('other')
  journal.byAnother('handHold', { cid, since: null })
  expect(hands.isHeld(cid)).toBe(true)
  await takeRows(db, 'handHold')
  clock.advance(1_000)
  await eventually(async () => expect(await rows()).toEqual([{ cid, since: 5 }]))
  // In the order of the calls, though each is in force before the one before it is stored.
  await Promise.all([hands.end(cid), hands.begin(cid, 6), hands.end(cid), hands.begin(cid, 8)])
  expect([await rows(), hands.isHeld(cid)]).toEqual([[{ cid, since: 8 }], true])
  await Promise.all([hands.begin(cid, 9), hands.end(cid)])
  expect([await rows(), hands.isHeld(cid)]).toEqual([[], false])
})

test('of several services none ends a hold whose push another one has; each holds the push that comes', async () => {
  const { start, rows } = await stored()
  let isElsewhere = false
  const { clock, hands, journal } = await start(undefined, 0, () => isElsewhere)
  journal.byAnother('handHold', { cid, since: 7 })
  // Before it is known here that the push ended there.
  expect(hands.returned(cid)).toBe(7)
  await hands.begin(cid, 7)
  hands.lost(cid)
  isElsewhere = true
  clock.advance(returnsWithin)
  expect([hands.awaitedUntil(cid), hands.isHeld(cid), await rows()]).toEqual([undefined, true, [{ cid, since: 7 }]])
  hands.lost(cid)
  expect(hands.awaitedUntil(cid)).toBeUndefined()
  isElsewhere = false
  hands.lost(cid)
  hands.wentOn(cid)
  expect(hands.awaitedUntil(cid)).toBeUndefined()
  hands.lost(cid)
  clock.advance(returnsWithin)
  await eventually(async () => expect(await rows()).toEqual([]))
})

test('what another service makes of a hold is told', async () => {
  const { start } = await stored()
  const { hands, journal } = await start(undefined, 0, () => false)
  const told: unknown[] = []
  hands.onFollowed((of, since) => told.push([of, since]))
  journal.byAnother('handHold', { cid, since: 7 })
  journal.byAnother('handHold', { cid, since: null })
  expect(told).toEqual([
    [cid, 7],
    [cid, undefined],
  ])
})

/** An encoder that sends a picture every 40 ms; a key frame each time. */
async function encoder(pushUrl: string, port: number) {
  const { pathname, search } = new URL(pushUrl)
  const client = await RtmpTestClient.open(port)
  await client.connect()
  expect(await client.ask('publish', `${pathname.replace('/live/', '')}${search}`)).toBe('NetStream.Publish.Start')
  client.send(rtmpType.video, 0, avcHeader)
  client.send(rtmpType.audio, 0, aacHeader)
  let sent = 0
  const timer = setInterval(() => {
    client.send(rtmpType.video, sent * 40, sent % 5 === 0 ? keyFrame() : interFrame())
    sent += 1
  }, 40)
  const stop = (): void => {
    clearInterval(timer)
    client.socket.destroy()
  }
  onTestFinished(stop)
  return { stop, sent: () => sent }
}
/** Pictures that a viewer over HTTP-FLV got. */
function watching(mediaUrl: string, of: string) {
  const seen: number[] = []
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const reader = new FlvReader(({ kind, timestamp, body }) => {
    if (kind === 'video' && body[1] === 1) seen.push(timestamp)
  })
  const read = async (): Promise<void> => {
    const answer = await fetch(`${mediaUrl}/live/${of}.flv`, { signal: stop.signal })
    for await (const bytes of answer.body!) reader.push(Buffer.from(bytes as Uint8Array))
  }
  read().catch(() => undefined)
  return seen
}

test.each([0, 120])(
  'a hold by hand lasts over SIGKILL until Back to live, with a hold of %i s',
  async (holdSeconds) => {
    const service = killedService()
    onTestFinished(() => service.remove())
    const first = await service.start()
    const { cid: on, pushUrl } = (await first.client.call(live.create, { name: 'Hold' })).ret!
    await first.client.call(local.updateHold, { cid: on, holdSeconds })
    const portOf = (rtmpUrl: string): number => Number(new URL(rtmpUrl).port)
    const before = await encoder(pushUrl, portOf(first.ready.rtmpUrl))
    const saw = watching(first.ready.mediaUrl, on)
    await eventually(() => expect(saw.length).toBeGreaterThan(5))
    const { since } = (await first.client.call(local.holdNow, { cid: on })).ret!
    await service.kill()
    before.stop()

    const { ready, client } = await service.start()
    const facts = async () => (await client.call(local.hold, { cid: on })).ret!
    const { nextHeldUntil, ...now } = await facts()
    expect(now).toMatchObject({ holding: false })
    // From its start on, which was just now.
    expect(nextHeldUntil! - Date.now()).toBeLessThanOrEqual(holdSeconds * 1000 + returnsWithin)
    expect(nextHeldUntil! - Date.now()).toBeGreaterThan(holdSeconds * 1000 + returnsWithin - 60_000)
    const again = await encoder(pushUrl, portOf(ready.rtmpUrl))
    expect(await facts()).toMatchObject({ holding: true, byHand: true, noPicture: true, since })
    expect(await facts()).not.toHaveProperty('nextHeldUntil')
    const seen = watching(ready.mediaUrl, on)
    await eventually(() => expect(again.sent()).toBeGreaterThan(50))
    // Not even a picture of what is there now.
    expect(seen).toEqual([])
    const state = await fetch(`${ready.mediaUrl}/watch/${on}/state`)
    expect(await state.json()).toMatchObject({ live: true, held: since, noPicture: true })
    const backAt = Date.now()
    expect((await client.call(local.holdBack, { cid: on })).ret).not.toHaveProperty('byHand')
    await eventually(() => expect(seen.length).toBeGreaterThan(10))
    const { lastHeld, lastHeldFor } = await facts()
    expect(lastHeld).toBe(since)
    expect(lastHeldFor).toBeGreaterThanOrEqual(backAt - since! - 1)
    expect(lastHeldFor).toBeLessThanOrEqual(Date.now() - since! + 1)
    // Held now, viewers keep the last picture.
    expect((await client.call(local.holdNow, { cid: on })).ret).not.toHaveProperty('noPicture')
    await client.call(local.holdBack, { cid: on })
    await service.kill()
    again.stop()
    const third = await service.start()
    await encoder(pushUrl, portOf(third.ready.rtmpUrl))
    expect((await third.client.call(local.hold, { cid: on })).ret).toMatchObject({ holding: false })
  },
)

test('after a hold without a picture viewers are told when the first one comes', async () => {
  const service = killedService()
  onTestFinished(() => service.remove())
  const first = await service.start()
  const { cid: on, pushUrl } = (await first.client.call(live.create, { name: 'Hold' })).ret!
  await first.client.call(local.updateHold, { cid: on, delaySeconds: 3 })
  const portOf = (rtmpUrl: string): number => Number(new URL(rtmpUrl).port)
  const before = await encoder(pushUrl, portOf(first.ready.rtmpUrl))
  const { since } = (await first.client.call(local.holdNow, { cid: on })).ret!
  await service.kill()
  before.stop()
  const { ready, client } = await service.start()
  const again = await encoder(pushUrl, portOf(ready.rtmpUrl))
  await eventually(() => expect(again.sent()).toBeGreaterThan(10))
  const seen = watching(ready.mediaUrl, on)
  await client.call(local.holdBack, { cid: on })
  const state = async () => (await (await fetch(`${ready.mediaUrl}/watch/${on}/state`)).json()) as WatchState
  const told = await state()
  expect(told).toMatchObject({ live: true, held: since, noPicture: true, growsTo: 3_000 })
  expect(told.goesOn! - told.time).toBeGreaterThan(2_000)
  expect(seen).toEqual([])
  expect((await client.call(local.hold, { cid: on })).ret).not.toHaveProperty('noPicture')
  await eventually(() => expect(seen.length).toBeGreaterThan(0))
  expect(Date.now()).toBeGreaterThanOrEqual(told.goesOn!)
  await eventually(async () => expect(await state()).not.toHaveProperty('held'))
})

test('a hold by hand lasts over a restart in order, and Back to live ends it before the encoder is back', async () => {
  const first = await startService()
  onTestFinished(() => first.close())
  const { cid: on, pushUrl } = (await first.call(live.create, { name: 'Hold' })).ret!
  const portOf = (rtmpUrl: string): number => Number(new URL(rtmpUrl).port)
  await encoder(pushUrl, portOf(first.service.ready.rtmpUrl))
  await eventually(async () => expect((await first.call(live.state, { cid: on })).ret!.status).toBe(1))
  await first.call(local.holdNow, { cid: on })
  await first.stop()
  const second = await startService({ dataDir: first.dataDir })
  const again = await encoder(pushUrl, portOf(second.service.ready.rtmpUrl))
  expect((await second.call(local.hold, { cid: on })).ret).toMatchObject({ holding: true, byHand: true })
  await second.stop()
  again.stop()
  const third = await startService({ dataDir: first.dataDir })
  onTestFinished(() => third.stop())
  const told = await third.events()
  const { code, ret } = await third.call(local.holdBack, { cid: on })
  expect([code, ret!.nextHeldUntil]).toEqual([200, undefined])
  // So other windows do not say it any more.
  expect(await told.next('hold')).not.toHaveProperty('nextHeldUntil')
  told.close()
  await encoder(pushUrl, portOf(third.service.ready.rtmpUrl))
  expect((await third.call(local.hold, { cid: on })).ret).toMatchObject({ holding: false })
})

test('a channel that is paused while its push is awaited is not held after', async () => {
  const first = await startService()
  onTestFinished(() => first.close())
  const { cid: on, pushUrl } = (await first.call(live.create, { name: 'Hold' })).ret!
  const portOf = (rtmpUrl: string): number => Number(new URL(rtmpUrl).port)
  await encoder(pushUrl, portOf(first.service.ready.rtmpUrl))
  await first.call(local.holdNow, { cid: on })
  await first.stop()
  const second = await startService({ dataDir: first.dataDir })
  onTestFinished(() => second.stop())
  expect((await second.call(local.hold, { cid: on })).ret).toHaveProperty('nextHeldUntil')
  const told = await second.events()
  await second.call(live.pause, { cid: on })
  expect(await told.next('hold')).not.toHaveProperty('nextHeldUntil')
  told.close()
  await second.call(live.resume, { cid: on })
  await encoder(pushUrl, portOf(second.service.ready.rtmpUrl))
  expect((await second.call(local.hold, { cid: on })).ret).toMatchObject({ holding: false })
})
