import { afterEach, beforeEach, expect, it } from 'vitest'
import { copyHeadPatience, copyResendAfter } from '../../contract/callbacks/copy.ts'
import { copyKind } from '../copies/copies.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { notYet } from './deliveries.ts'
import { startReceiver, type Receiver } from './testing/receiver.ts'
import { startRig, type Rig, type RigOptions } from './testing/rig.ts'
import { waitFor } from './testing/wait.ts'

/** Messages that are delivered in order: copies of a conversation. */
let rig: Rig
let receiver: Receiver
let time: ManualClock
let opened: Receiver[]
beforeEach(async () => {
  time = manualClock()
  receiver = await startReceiver(time)
  opened = [receiver]
})
afterEach(async () => {
  await rig.close()
  for (const one of opened) await one.close()
})

const begin = async (options: RigOptions = {}): Promise<void> => {
  rig = await startRig({ clock: time, ...options })
}
/** Puts messages into a line in one transaction; returns their ids. */
const put = (texts: readonly string[], line = 'x', uid = rig.uid): Promise<string[]> =>
  rig.store.durable((transaction) =>
    Promise.all(
      texts.map((text) =>
        rig.outbox.put(transaction, {
          uid,
          kind: copyKind,
          url: receiver.url,
          line,
          body: () => JSON.stringify({ text }),
        }),
      ),
    ),
  )
const texts = (of: Receiver = receiver): (string | undefined)[] => of.received.map(({ fields }) => fields['text'])
const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index))
const came = (count: number): Promise<void> => waitFor(`${count} requests`, () => receiver.received.length === count)
const delivered = (...nIds: readonly string[]): Promise<void> =>
  waitFor('all are delivered', async () => {
    for (const nId of nIds) if ((await rig.entry(nId)).state !== 'delivered') return false
    return true
  })
const attempted = (nId: string, attempts: number): Promise<void> =>
  waitFor(`attempt ${attempts}`, async () => (await rig.entry(nId)).attempts === attempts)
/** Answers with 500 to a text, so often. */
const refuse = (text: string, times = Infinity): void => {
  let left = times
  receiver.answer = (request, response) =>
    void (request.fields['text'] === text && left-- > 0 ? response.writeHead(500).end() : response.end())
}

it('delivers the messages of a line one after the other, more than one run takes', async () => {
  await begin()
  let open = 0
  let most = 0
  receiver.answer = (_request, response) => {
    most = Math.max(most, ++open)
    setImmediate(() => {
      open--
      response.end()
    })
  }
  const nIds = await put(numbers(1, 40))
  await delivered(...nIds)
  expect(texts()).toEqual(numbers(1, 40))
  expect(most).toBe(1)
})

it('delivers lines beside each other, so that a slow one holds up no other', async () => {
  await begin()
  receiver.answer = (request, response) => void (request.fields['text'] === 'slow' || response.end())
  await put(['slow', 'after'], 'x')
  await came(1)
  await delivered(...(await put(['1', '2'], 'y')))
  expect(texts()).toEqual(['slow', '1', '2'])
})

it('holds the line behind a failed message for a minute, and then passes it', async () => {
  await begin()
  refuse('1')
  const [first, second] = (await put(['1', '2'])) as [string, string]
  await attempted(first, 1)
  time.advance(copyResendAfter[0]!)
  await attempted(first, 2)
  time.advance(copyResendAfter[1]!)
  await attempted(first, 3)
  time.advance(copyHeadPatience - copyResendAfter[0]! - copyResendAfter[1]! - 1)
  expect(texts()).toEqual(['1', '1', '1'])
  time.advance(1)
  await delivered(second)
  expect((await rig.entry(first)).state).toBe('waiting')
  // The line goes on without it.
  await delivered(...(await put(['3'])))
  expect(texts()).toEqual(['1', '1', '1', '2', '3'])
})

it('goes on with the line as soon as the failed message is delivered', async () => {
  await begin()
  refuse('1', 1)
  const [first, ...more] = (await put(['1', '2', '3'])) as [string, ...string[]]
  await attempted(first, 1)
  time.advance(copyResendAfter[0]!)
  await delivered(first, ...more)
  expect(texts()).toEqual(['1', '1', '2', '3'])
})

it('gives a message up after its last resend', async () => {
  await begin()
  refuse('1')
  const [first] = (await put(['1'])) as [string]
  await attempted(first, 1)
  for (const [index, wait] of copyResendAfter.entries()) {
    time.advance(wait)
    await attempted(first, index + 2)
  }
  expect(await rig.entry(first)).toMatchObject({ state: 'failed', result: 'HTTP 500' })
})

it('holds a line behind its failed message over a restart, and none whose message was passed before', async () => {
  await begin()
  refuse('1')
  const [first] = (await put(['1', '2'], 'held')) as [string]
  await attempted(first, 1)
  refuse('a')
  const [passed] = (await put(['a'], 'passed')) as [string]
  await attempted(passed, 1)
  await rig.store.db
    .updateTable('delivery')
    .set({ step: 3, due: time.now() + 600_000 })
    .where('nId', '=', passed)
    .execute()
  await rig.stop()
  receiver.answer = (_request, response) => void response.end()
  await begin({ dataDir: rig.dataDir })
  await delivered(...(await put(['b'], 'passed')))
  expect(texts()).toEqual(['1', 'a', 'b'])
  time.advance(copyResendAfter[0]!)
  await delivered(first)
  await came(5)
  expect(texts()).toEqual(['1', 'a', 'b', '1', '2'])
})

it('goes on with lines that wait at a restart', async () => {
  await begin()
  receiver.answer = () => undefined
  const nIds = await put(['1', '2'])
  await came(1)
  await rig.stop()
  receiver.answer = (_request, response) => void response.end()
  await begin({ dataDir: rig.dataDir })
  await delivered(...nIds)
  expect(texts()).toEqual(['1', '1', '2'])
})

it('sends what waits in a line to another address from its next message on', async () => {
  await begin()
  const next = await startReceiver(time)
  opened.push(next)
  let release = (): void => {}
  receiver.answer = (_request, response) => (release = () => void response.end())
  const nIds = await put(['1', '2', '3'])
  await came(1)
  await rig.store.durable((transaction) =>
    rig.outbox.redirect(transaction, { uid: rig.uid, kind: copyKind, url: next.url }),
  )
  release()
  await delivered(...nIds)
  expect([texts(), texts(next)]).toEqual([['1'], ['2', '3']])
})

it('keeps the order when a failed message is sent to another address', async () => {
  await begin()
  const next = await startReceiver(time)
  opened.push(next)
  refuse('1')
  const nIds = await put(['1', '2'])
  await attempted(nIds[0]!, 1)
  await rig.store.durable((transaction) =>
    rig.outbox.redirect(transaction, { uid: rig.uid, kind: copyKind, url: next.url }),
  )
  await delivered(...nIds)
  expect(texts(next)).toEqual(['1', '2'])
})

it('redirects no message of another kind or application', async () => {
  await begin()
  receiver.answer = () => undefined
  const [own, foreign] = [await put(['1']), await put(['2'], 'x', rig.otherUid)]
  await came(2)
  await rig.store.durable((transaction) =>
    rig.outbox.redirect(transaction, { uid: rig.uid, kind: 'recording', url: 'http://next.example/' }),
  )
  await rig.store.durable((transaction) =>
    rig.outbox.redirect(transaction, { uid: rig.otherUid, kind: 'recording', url: 'http://next.example/' }),
  )
  expect([(await rig.entry(own[0]!)).url, (await rig.entry(foreign[0]!)).url]).toEqual([receiver.url, receiver.url])
})

it('drops what waits with its reason, and begins the line anew with the next message', async () => {
  await begin()
  refuse('1')
  const nIds = await put(['1', '2'])
  const [other] = (await put(['other'], 'x', rig.otherUid)) as [string]
  await attempted(nIds[0]!, 1)
  await delivered(other)
  await rig.store.durable((transaction) => rig.outbox.drop(transaction, { uid: rig.uid, kind: copyKind }))
  for (const nId of nIds)
    expect(await rig.entry(nId)).toMatchObject({ state: 'failed', result: 'the address was removed' })
  await delivered(...(await put(['3'])))
  expect(texts().filter((text) => text !== 'other')).toEqual(['1', '3'])
  expect(await rig.outbox.waiting(rig.uid, copyKind)).toBe(0)
})

it('gathers the messages of a line for the pause after one is sent, the first without a pause', async () => {
  await begin({ gatherFor: 1000 })
  await delivered(...(await put(['1'])))
  const [second] = (await put(['2'])) as [string]
  await waitFor('the line rests', () => time.waiting() > 0)
  time.advance(999)
  expect(texts()).toEqual(['1'])
  expect((await rig.entry(second)).state).toBe('waiting')
  time.advance(1)
  await waitFor('the second', async () => {
    time.advance(0)
    return (await rig.entry(second)).state === 'delivered'
  })
})

it('goes on after a restart with a line of several failed messages once the oldest of them is delivered', async () => {
  await begin()
  const common = {
    uid: rig.uid,
    kind: copyKind,
    url: receiver.url,
    target: new URL(receiver.url).origin,
    line: `${rig.uid}:x`,
    state: 'waiting' as const,
    result: null,
  }
  const row = (text: string, created: number, due: number, step: number) => ({
    ...common,
    attempts: step,
    step,
    nId: text,
    body: JSON.stringify({ text }),
    created,
    due,
  })
  const now = time.now()
  await rig.store.db
    .insertInto('delivery')
    .values([row('first', 1, now + 5000, 1), row('second', 2, now + 50_000, 3), row('turn', 3, notYet, 0)])
    .execute()
  await rig.stop()
  await begin({ dataDir: rig.dataDir })
  time.advance(5000)
  await delivered('first', 'turn')
  expect(texts()).toEqual(['first', 'turn'])
})
