import { hash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callbackSign, resendAfter } from '../../contract/callbacks/recording.ts'
import { startReceiver, type Receiver } from './testing/receiver.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { startRig, type Rig, type RigOptions } from './testing/rig.ts'
import { waitFor } from './testing/wait.ts'

let rig: Rig
let receiver: Receiver
let time: ManualClock
const begin = async (options: RigOptions = {}): Promise<void> => {
  rig = await startRig({ clock: time, ...options })
}
const md5 = (text: string): string => hash('md5', text, 'hex')
const settled = (nId: string, attempts: number): Promise<void> =>
  waitFor(`attempt ${attempts}`, async () => (await rig.entry(nId)).attempts === attempts)
const ended = (nId: string, state: 'delivered' | 'failed'): Promise<void> =>
  waitFor(state, async () => (await rig.entry(nId)).state === state)
const refuse: Receiver['answer'] = (_request, response) => void response.writeHead(500).end('no')

beforeEach(async () => {
  time = manualClock()
  receiver = await startReceiver(time)
})
afterEach(async () => {
  await rig.close()
  await receiver.close()
})

describe('a delivery', () => {
  it('is one POST of text values with its length, its type and its signature', async () => {
    await begin()
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    await rig.callbacks.setSignKey(rig.uid, 'k')
    const { nId } = await rig.enqueue()
    await ended(nId, 'delivered')
    expect(receiver.received).toHaveLength(1)
    const { headers, body, fields } = receiver.received[0]!
    expect(headers).toMatchObject({
      'content-type': 'application/json;charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      sign: callbackSign(md5, fields, 'k'),
    })
    expect(headers['transfer-encoding']).toBeUndefined()
    expect(headers['sign']).toMatch(/^[0-9a-f]{32}$/)
    expect(fields).toMatchObject({
      nId,
      uid: String(rig.uid),
      vid: '4711',
      beginTime: '1800000000000',
      endTime: '1800001200000',
    })
    expect(await rig.entry(nId)).toMatchObject({ attempts: 1, result: 'HTTP 200' })
  })

  it('is not made without an address, and not of a transaction that was taken back', async () => {
    await begin()
    await rig.store.durable((transaction) =>
      rig.callbacks.enqueueCallback(transaction, {
        uid: rig.uid,
        cid: 'c',
        vid: 1,
        name: 'v',
        key: 'o',
        begin: 1,
        end: 2,
        merged: false,
      }),
    )
    expect(await rig.outbox.list(rig.uid, 10, undefined)).toEqual([])
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    const file = { uid: rig.uid, cid: 'c', vid: 2, name: 'v', key: 'o', begin: 1, end: 2, merged: false }
    const taken = rig.store.durable(async (transaction) => {
      await rig.callbacks.enqueueCallback(transaction, file)
      throw new Error('taken back')
    })
    await expect(taken).rejects.toThrow('taken back')
    const { nId } = await rig.enqueue()
    await ended(nId, 'delivered')
    expect(receiver.received.map(({ fields }) => fields['vid'])).toEqual(['4711'])
  })

  it('is resent with the same id and body after the decided waits, and then stays in the log', async () => {
    await begin()
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    receiver.answer = refuse
    const { nId } = await rig.enqueue()
    await settled(nId, 1)
    for (const [index, wait] of resendAfter.entries()) {
      time.advance(wait - 1)
      expect((await rig.entry(nId)).attempts).toBe(index + 1)
      time.advance(1)
      await settled(nId, index + 2)
    }
    await ended(nId, 'failed')
    const times = receiver.received.map(({ at }) => at)
    expect(times.slice(1).map((at, index) => at - times[index]!)).toEqual(
      [5, 30, 120, 600, 1800, 3600, 10_800, 21_600].map((seconds) => seconds * 1000),
    )
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    time.advance(86_400_000)
    expect(await rig.entry(nId)).toMatchObject({ state: 'failed', attempts: 9, result: 'HTTP 500' })
    expect(receiver.received).toHaveLength(9)
  })

  it('is made again by hand with the same id, and with the whole schedule before it', async () => {
    await begin()
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    const { nId } = await rig.enqueue()
    await ended(nId, 'delivered')
    receiver.answer = refuse
    expect(await rig.outbox.resend(nId, undefined)).toBe(true)
    await settled(nId, 2)
    expect((await rig.entry(nId)).state).toBe('waiting')
    receiver.answer = (_request, response) => void response.end()
    time.advance(5000)
    await ended(nId, 'delivered')
    expect(receiver.received.map(({ fields }) => fields['nId'])).toEqual([nId, nId, nId])
    expect(await rig.outbox.resend('nothing', undefined)).toBe(false)
  })

  it('is signed with the key in force at each attempt', async () => {
    await begin()
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    await rig.callbacks.setSignKey(rig.uid, 'before')
    receiver.answer = refuse
    const { nId } = await rig.enqueue()
    await settled(nId, 1)
    await rig.callbacks.setSignKey(rig.uid, 'after')
    time.advance(5000)
    await settled(nId, 2)
    expect(
      receiver.received.map(({ headers, fields }) =>
        ['before', 'after'].findIndex((key) => headers['sign'] === callbackSign(md5, fields, key)),
      ),
    ).toEqual([0, 1])
  })

  it('goes to a new address at once when one is set while it waits, also while an attempt at the old one is under way', async () => {
    await begin()
    const next = await startReceiver(time)
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    let release = (): void => {}
    receiver.answer = (_request, response) => (release = () => void response.writeHead(500).end())
    const { nId } = await rig.enqueue()
    await waitFor('the first attempt', () => receiver.received.length === 1)
    await rig.callbacks.setAddress(rig.uid, next.url)
    release()
    await ended(nId, 'delivered')
    expect(next.received.map(({ fields }) => fields['nId'])).toEqual([nId])
    expect(await rig.entry(nId)).toMatchObject({ url: next.url, attempts: 2, step: 0 })
    await next.close()
  })

  it('is of one application: another has its own address, key and log', async () => {
    await begin()
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    await rig.enqueue({ uid: rig.otherUid }).catch(() => undefined)
    expect(await rig.outbox.list(rig.otherUid, 10, undefined)).toEqual([])
    const [mine, others] = [await rig.callbacks.read(rig.uid), await rig.callbacks.read(rig.otherUid)]
    expect(others.url).toBeNull()
    expect(mine.signKey).toMatch(/^[0-9a-f]{32}$/)
    expect(others.signKey).not.toBe(mine.signKey)
    expect(await rig.callbacks.read(rig.uid)).toEqual(mine)
  })
})

describe('many deliveries', () => {
  it('go four at once to one target, and a slow target does not hold up another', async () => {
    await begin()
    const other = await startReceiver(time)
    let open = 0
    let most = 0
    const waiting: (() => void)[] = []
    receiver.answer = (_request, response) => {
      most = Math.max(most, ++open)
      waiting.push(() => {
        open--
        response.end()
      })
    }
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    await rig.callbacks.setAddress(rig.otherUid, other.url)
    await rig.store.durable(async (transaction) => {
      for (let vid = 1; vid <= 100; vid++)
        await rig.callbacks.enqueueCallback(transaction, {
          uid: rig.uid,
          cid: 'c',
          vid,
          name: 'v',
          key: 'o',
          begin: 1,
          end: 2,
          merged: false,
        })
    })
    await waitFor('four at once', () => open === 4)
    const { nId } = await rig.enqueue({ uid: rig.otherUid })
    await ended(nId, 'delivered')
    expect(open).toBe(4)
    await waitFor('all', () => {
      for (const release of waiting.splice(0)) release()
      return receiver.received.length === 100
    })
    for (const release of waiting.splice(0)) release()
    await waitFor('all kept', async () =>
      (await rig.outbox.list(rig.uid, 1000, undefined)).every(({ state }) => state === 'delivered'),
    )
    expect(most).toBe(4)
    expect(new Set(receiver.received.map(({ fields }) => fields['nId'])).size).toBe(100)
    await other.close()
  })

  it('are 32 at once over all targets, and those beyond follow by themselves', async () => {
    await begin({ resolve: () => Promise.resolve(['127.0.0.1']) })
    const waiting: (() => void)[] = []
    let most = 0
    receiver.answer = (_request, response) => {
      waiting.push(() => void response.end())
      most = Math.max(most, waiting.length)
    }
    await rig.store.durable(async (transaction) => {
      for (let target = 0; target < 12; target++)
        for (let count = 0; count < 5; count++)
          await rig.outbox.put(transaction, {
            uid: rig.uid,
            kind: 'recording',
            url: `http://r${target}.example:${receiver.port}/`,
            body: (nId) => JSON.stringify({ nId }),
          })
    })
    await waitFor('32 at once', () => waiting.length === 32)
    await waitFor('all', () => {
      waiting.shift()?.()
      return receiver.received.length === 60 && waiting.length === 0
    })
    await waitFor('all kept', async () =>
      (await rig.outbox.list(rig.uid, 1000, undefined)).every(({ state }) => state === 'delivered'),
    )
    expect(most).toBe(32)
    expect(new Set(receiver.received.map(({ fields }) => fields['nId'])).size).toBe(60)
  })

  it('are listed newest first, by pages that never overlap', async () => {
    await begin()
    receiver.answer = refuse
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    await rig.store.durable(async (transaction) => {
      for (let vid = 1; vid <= 25; vid++)
        await rig.callbacks.enqueueCallback(transaction, {
          uid: rig.uid,
          cid: 'c',
          vid,
          name: 'v',
          key: 'o',
          begin: 1,
          end: 2,
          merged: false,
        })
    })
    const seen: string[] = []
    for (let before: number | undefined; ;) {
      const page = await rig.outbox.list(rig.uid, 10, before)
      if (page.length === 0) break
      seen.push(...page.map(({ body }) => (JSON.parse(body) as { vid: string }).vid))
      before = page.at(-1)!.created
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => String(25 - index)))
  })

  it('leave the log after 30 days once they have ended, and never while they wait', async () => {
    await begin()
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    const { nId: done } = await rig.enqueue()
    await ended(done, 'delivered')
    await rig.store.db
      .insertInto('delivery')
      .values({
        ...(await rig.entry(done)),
        nId: 'waits',
        created: 1,
        state: 'waiting',
        due: time.now() + 90 * 86_400_000,
      })
      .execute()
    time.advance(31 * 86_400_000)
    await waitFor('the old entry to go', async () => (await rig.outbox.find(done)) === undefined)
    expect((await rig.entry('waits')).state).toBe('waiting')
  })
})
