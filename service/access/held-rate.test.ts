import { expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { encodeFixture, temporaryFolder } from '../hub/testing/fixture.ts'
import { until } from '../testing/condition.ts'
import { startPublisher } from '../testing/publisher.ts'
import { startService } from '../testing/start-service.ts'

it('while the picture is held, places are for what the push took before', async () => {
  const folder = temporaryFolder()
  const service = await startService({ trustedProxies: ['127.0.0.1'] })
  const ends: AbortController[] = []
  try {
    const { cid, pushUrl } = (await service.call(live.create, { name: 'harbour' })).ret!
    await service.call(local.updateHold, { cid, holdSeconds: 120 })
    const events = await service.events()
    const file = await encodeFixture(folder.path, 'push', { duration: 4, gop: 120, bFrames: 0 })
    const publisher = startPublisher(pushUrl, file)
    const { at: began } = await events.next('push', (event) => event.cid === cid && event.kind === 'started')
    // The first picture is large.
    const { figures } = await events.next('ingest', (event) => event.cid === cid && event.at > began + 4_000)
    /** The status of a new player of another household. */
    const play = async (): Promise<number> => {
      const end = new AbortController()
      ends.push(end)
      const { status, body } = await fetch(`${service.service.ready.mediaUrl}/live/${cid}.flv`, {
        headers: { 'x-forwarded-for': `198.51.100.${ends.length}` },
        signal: end.signal,
      })
      // Read on, as a player does.
      body?.pipeTo(new WritableStream()).catch(() => undefined)
      return status
    }
    // Room for one player, not for two.
    expect((await service.call(local.updateWatchLimits, { maxKbps: Math.round(1.1 * figures.kbps!) })).code).toBe(200)
    expect(await play()).toBe(200)
    expect(await play()).toBe(503)
    publisher.kill('SIGKILL')
    const { at: held } = await events.next('hold', (event) => event.cid === cid && event.holding)
    await events.next('ingest', (event) => event.cid === cid && event.at > held && event.figures.kbps === 0)
    await until('viewers take little', async () => {
      const { kbps } = (await service.call(local.watchLimits, {})).ret!
      return kbps < figures.kbps! / 4
    })
    expect((await service.call(local.watchLimits, {})).ret).toMatchObject({ viewers: 1 })
    expect(await play()).toBe(503)
    events.close()
  } finally {
    for (const end of ends) end.abort()
    await service.close()
    folder.remove()
  }
})
