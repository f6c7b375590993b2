import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { failureOf, scratch, startRig, until, type Rig } from '../testing/rig.ts'

let place: ReturnType<typeof scratch>
let rig: Rig
beforeEach(async () => {
  place = scratch()
  rig = await startRig(place.dir)
  await until('the service', () => rig.page.newest('service', ({ service }) => service.phase === 'running'))
})
afterEach(async () => {
  await rig.close()
  place[Symbol.dispose]()
})
const profileId = 'local'

/** Puts a callback into the real service's outbox, due now, as a recording does. */
function leave(url: string, nId: string): void {
  const database = new DatabaseSync(path.join(place.dir, 'service', 'sidestage.db'))
  database.exec('pragma busy_timeout = 5000')
  const { uid } = database.prepare('select uid from application').get() as { uid: number }
  const body = JSON.stringify({ video_name: '晚会', orig_video_key: 'k', uid: String(uid), vid: '1', cid: 'c', nId })
  database
    .prepare(
      `insert into delivery (nId, uid, kind, url, target, body, state, attempts, step, due, created) values (?, ?, 'recording', ?, ?, ?, 'waiting', 0, 0, 0, 1)`,
    )
    .run(nId, uid, url, new URL(url).origin, body)
  database.close()
}

describe('a page with the receiver of this computer', () => {
  it('starts it, makes the service call it, sees what comes, and shows the key on request', async () => {
    const { rpc } = rig.page
    expect(await rpc.receivers.state({ profileId })).toMatchObject({
      phase: 'off',
      mustBeReachable: false,
      keyKnown: true,
    })
    const { url, phase } = await rpc.receivers.start({ profileId, host: '127.0.0.1', port: 0 })
    expect(phase).toBe('listening')
    expect(await rpc.receivers.register({ profileId })).toEqual({ url })
    const { signKey } = await rpc.receivers.signKey({ profileId })
    expect(signKey).toMatch(/^[0-9a-f]{32}$/)
    leave(url!, 'from-the-service')
    // Setting the address wakes the outbox of the service.
    await rpc.receivers.register({ profileId, url: `${url!}?again` })
    const news = await until('the callback', () => rig.page.newest('delivery'))
    expect(news).toMatchObject({
      profileId,
      delivery: { verdict: 'accepted', stale: false, test: null, fields: { nId: 'from-the-service' } },
    })
    expect(await rpc.receivers.replay({ profileId, id: news.delivery.id })).toMatchObject({
      verdict: 'duplicate',
      test: 'replay',
    })
    expect(await rpc.receivers.tamper({ profileId, id: news.delivery.id })).toMatchObject({
      verdict: 'forged',
      test: 'tamper',
    })
    expect((await rpc.receivers.deliveries({ profileId, limit: 10 })).map(({ verdict }) => verdict)).toEqual([
      'forged',
      'duplicate',
      'accepted',
    ])

    await rpc.receivers.setSignKey({ profileId, signKey: 'canary-4f1b9', atService: true })
    expect(await rpc.receivers.signKey({ profileId })).toEqual({ signKey: 'canary-4f1b9' })
    expect(await rpc.receivers.replay({ profileId, id: news.delivery.id })).toMatchObject({ verdict: 'forged' })
    expect(await rpc.receivers.stop({ profileId })).toMatchObject({ phase: 'off' })
    await until('the event', () => rig.page.newest('receiver', ({ receiver }) => receiver.phase === 'off'))
    for (const secret of [signKey, 'canary-4f1b9']) {
      expect(JSON.stringify(rig.page.events)).not.toContain(secret)
      expect(rig.log.join('\n')).not.toContain(secret)
      expect((await rpc.app.serviceLog()).join('\n')).not.toContain(secret)
    }
  })

  it('is told what is wrong with what it asks', async () => {
    const { rpc } = rig.page
    expect((await failureOf(rpc.receivers.state({ profileId: 'nobody' }))).kind).toBe('absent')
    expect((await failureOf(rpc.receivers.register({ profileId }))).detail).toBe('the receiver does not listen')
    expect(await failureOf(rpc.receivers.register({ profileId, url: 'http://169.254.169.254/' }))).toMatchObject({
      kind: 'code',
      code: 631,
    })
    expect((await failureOf(rpc.receivers.replay({ profileId, id: 1 }))).kind).toBe('absent')
    for (const bad of [
      { host: 'example.com', port: 1 },
      { host: '127.0.0.1', port: 65_536 },
      { host: '127.0.0.1', port: -1 },
      { host: '', port: 1 },
    ])
      await expect(rpc.receivers.start({ profileId, ...bad })).rejects.toThrow('Input validation failed')
    expect(await rpc.receivers.start({ profileId, host: '192.0.2.1', port: 0 })).toMatchObject({
      phase: 'failed',
      reason: { code: 'address', params: { host: '192.0.2.1' } },
    })
  })
})
