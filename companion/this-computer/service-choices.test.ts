import { createServer, type Server } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { ServiceReady } from '../../contract/service-process.ts'
import type { NamedChoices } from '../instance/launch-options.ts'
import { scratch } from '../testing/rig.ts'
import { openComputerDocument } from './computer-document.ts'
import { tryPort } from './port-check.ts'
import { createServiceSettings, type Listener, type ServiceChoicesPorts } from './service-choices.ts'

const host = '127.0.0.1'
const usual = { api: null, media: null, rtmp: null }
const servers: Server[] = []
const folders: ReturnType<typeof scratch>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
  for (const folder of folders.splice(0)) folder[Symbol.dispose]()
})
/** A port that another program has. */
const takenPort = async (): Promise<number> => {
  const server = createServer()
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
const freePort = async (): Promise<number> => {
  const port = await takenPort()
  const server = servers.pop()
  await new Promise((resolve) => server?.close(resolve))
  return port
}

async function stage(
  { named = [], ready, timeZone }: { named?: Listener[]; ready?: Partial<ServiceReady>; timeZone?: string } = {},
  more: Partial<ServiceChoicesPorts> = {},
) {
  const folder = scratch()
  folders.push(folder)
  const store = await openComputerDocument(folder.dir)
  const changes: unknown[] = []
  const state = { onAir: false, moving: false, runs: true }
  const settings = createServiceSettings({
    store,
    given: {
      dataDir: '/d',
      api: { host, port: 1001 },
      media: { host, port: 1002 },
      rtmp: { host, port: 1003 },
      ...(timeZone !== undefined && { timeZone }),
    },
    named: { data: false, ports: named } as NamedChoices,
    ready: () => ready as ServiceReady | undefined,
    change: (change) => {
      changes.push(change)
      return Promise.resolve()
    },
    runs: () => Promise.resolve(state.runs),
    onAir: () => state.onAir,
    moving: () => state.moving,
    holder: () => undefined,
    ...more,
  })
  return { settings, store, changes, state }
}

describe('ports', () => {
  it('are those of the start until others are chosen, which the service is restarted with', async () => {
    const on = await stage()
    const port = await freePort()
    expect(on.settings.choices()).toMatchObject({ api: { host, port: 1001 }, media: { port: 1002 } })
    expect(await on.settings.setPorts({ ...usual, media: port }, false)).toEqual({
      outcome: 'done',
      listener: null,
      by: null,
    })
    expect(on.changes).toEqual([{ ports: { media: port } }])
    expect(on.settings.choices()).toMatchObject({ api: { port: 1001 }, media: { host, port }, rtmp: { port: 1003 } })
    expect(on.store.value().ports).toEqual({ ...usual, media: port })
    // Nothing is restarted for what is so already.
    expect((await on.settings.setPorts({ ...usual, media: port }, false)).outcome).toBe('done')
    expect(on.changes).toHaveLength(1)
    expect((await on.settings.setPorts(usual, false)).outcome).toBe('done')
    expect(on.changes[1]).toEqual({ ports: { media: 1002 } })
  })

  it('that the command line names win, and cannot be chosen', async () => {
    const on = await stage({ named: ['rtmp'] })
    expect(await on.settings.setPorts({ ...usual, rtmp: 2003 }, false)).toEqual({
      outcome: 'named',
      listener: 'rtmp',
      by: null,
    })
    await on.store.change({ ports: { ...usual, rtmp: 2003, api: 2001 } })
    expect(on.settings.choices()).toMatchObject({ rtmp: { port: 1003 }, api: { port: 2001 } })
  })

  it('are of one listener each: chosen twice, or the usual one of another', async () => {
    const on = await stage()
    expect(await on.settings.setPorts({ ...usual, api: 2001, rtmp: 2001 }, false)).toMatchObject({
      outcome: 'twice',
      listener: 'api',
    })
    expect(await on.settings.setPorts({ ...usual, media: 1003 }, false)).toMatchObject({
      outcome: 'twice',
      listener: 'media',
    })
    expect(on.changes).toEqual([])
  })

  it('of the running service are free for another listener only where they change with it', async () => {
    const [api, media] = [await takenPort(), await takenPort()]
    const ready = { baseUrl: `http://${host}:${api}`, mediaUrl: `http://${host}:${media}` }
    const on = await stage({ ready })
    expect(await on.settings.setPorts({ ...usual, rtmp: api }, false)).toMatchObject({
      outcome: 'twice',
      listener: 'rtmp',
    })
    expect((await on.settings.setPorts({ ...usual, api: media, media: api }, false)).outcome).toBe('done')
    expect(on.changes).toEqual([{ ports: { api: media, media: api } }])
  })

  it('that another program or a listener of the app has are refused, with whose it is', async () => {
    const port = await takenPort()
    const on = await stage()
    expect(await on.settings.setPorts({ ...usual, api: port }, false)).toEqual({
      outcome: 'taken',
      listener: 'api',
      by: 'other',
    })
    const own = await stage({}, { holder: (asked) => (asked === port ? 'copies' : undefined) })
    expect(await own.settings.setPorts({ ...usual, api: port }, false)).toMatchObject({ by: 'copies' })
    expect([on.changes, on.store.value().ports]).toEqual([[], usual])
  })

  it('that the system does not allow are refused', async () => {
    const folder = scratch()
    folders.push(folder)
    expect(await tryPort('192.0.2.1', 4711)).toBe('refused')
    expect(await tryPort(host, await freePort())).toBe('free')
    const taken = await takenPort()
    expect(await tryPort(host, taken)).toBe('taken')
    const at = { host: '192.0.2.1', port: 1 }
    const on = await stage({}, { given: { dataDir: '/d', api: at, media: at, rtmp: at } })
    expect(await on.settings.setPorts({ ...usual, api: 4711 }, false)).toEqual({
      outcome: 'refused',
      listener: 'api',
      by: null,
    })
  })
})

const settingsOf: [string, (on: Awaited<ReturnType<typeof stage>>, even: boolean) => Promise<{ outcome: string }>][] = [
  ['ports', async (on, even) => on.settings.setPorts({ ...usual, media: await freePort() }, even)],
  ['time zone', (on, even) => on.settings.setTimeZone('UTC', even)],
]
it.each(settingsOf)('%s: not set on air unless wished, nor while the data are moved', async (_what, set) => {
  const on = await stage()
  const before = structuredClone(on.store.value())
  on.state.onAir = true
  expect((await set(on, false)).outcome).toBe('onAir')
  on.state.moving = true
  expect((await set(on, true)).outcome).toBe('moving')
  expect([on.store.value(), on.changes]).toEqual([before, []])
  on.state.moving = false
  expect((await set(on, true)).outcome).toBe('done')
  expect(on.store.value()).not.toEqual(before)
})

it.each(settingsOf)('%s: it is said where the service does not come back with it', async (_what, set) => {
  const on = await stage()
  on.state.runs = false
  expect((await set(on, false)).outcome).toBe('notRunning')
})

describe('the time zone', () => {
  it('is the chosen one, or that of the start', async () => {
    const on = await stage({ timeZone: 'Europe/Paris' })
    expect(on.settings.choices().timeZone).toBe('Europe/Paris')
    expect((await on.settings.setTimeZone('Mars/Olympus', false)).outcome).toBe('unknown')
    expect((await on.settings.setTimeZone('UTC', false)).outcome).toBe('done')
    expect(on.settings.choices().timeZone).toBe('UTC')
    expect((await on.settings.setTimeZone('UTC', false)).outcome).toBe('done')
    expect((await on.settings.setTimeZone(null, false)).outcome).toBe('done')
    expect(on.changes).toEqual([{ timeZone: 'UTC' }, { timeZone: 'Europe/Paris' }])
    // What the file has and is none is not used.
    await on.store.change({ timeZone: 'Mars/Olympus' })
    expect(on.settings.choices().timeZone).toBe('Europe/Paris')
    expect((await stage()).settings.choices()).not.toHaveProperty('timeZone')
  })
})
