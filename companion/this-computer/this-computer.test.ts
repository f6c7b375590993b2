import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { failureOf, type Rig, scratch, startRig, until } from '../testing/rig.ts'

const folder = scratch()
const home = path.join(folder.dir, 'app')
const profileId = 'local'
let rig: Rig
const listening = (): Promise<{ server: Server; port: number }> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve({ server, port: typeof address === 'object' && address ? address.port : 0 })
    })
  })
const freePort = async (): Promise<number> => {
  const { server, port } = await listening()
  await new Promise((resolve) => server.close(resolve))
  return port
}
const begin = async (more: Parameters<typeof startRig>[1] = {}): Promise<void> => {
  rig = await startRig(home, more)
  await rig.companion.serviceReady(40_000)
}
const usual = { api: null, media: null, rtmp: null, evenOnAir: false }
const computer = () => rig.page.newest('computer')?.computer

beforeAll(() => {
  mkdirSync(home)
  return begin()
})
afterAll(async () => {
  await rig.close()
  folder[Symbol.dispose]()
})

it('takes other ports after a look at each, keeps the others where they are, and keeps them for the next start', async () => {
  const { rpc } = rig.page
  const running = () => rig.page.newest('service', ({ service }) => service.phase === 'running')?.service.addresses
  const before = await until('the service', running)
  const { server, port: taken } = await listening()
  expect(await rpc.computer.setPorts({ ...usual, rtmp: taken })).toEqual({
    outcome: 'taken',
    listener: 'rtmp',
    by: 'other',
  })
  server.close()
  const receiver = await rpc.receivers.start({ profileId, host: '127.0.0.1', port: 0 })
  expect(await rpc.computer.setPorts({ ...usual, media: receiver.port })).toEqual({
    outcome: 'taken',
    listener: 'media',
    by: 'callbacks',
  })
  expect(await rpc.computer.setPorts({ ...usual, api: 4_001, media: 4_001 })).toMatchObject({ outcome: 'twice' })
  expect(await failureOf(rpc.computer.setPorts({ ...usual, rtmp: 0 })).catch(() => 'refused by its form')).toBe(
    'refused by its form',
  )
  const rtmp = await freePort()
  expect(await rpc.computer.setPorts({ ...usual, rtmp })).toEqual({ outcome: 'done', listener: null, by: null })
  await until('the new port', () => running()?.rtmp.includes(`:${rtmp}`))
  expect(running()).toMatchObject({ api: before.api, media: before.media })
  await until('word of it', () => computer()?.ports.find(({ listener }) => listener === 'rtmp')?.chosen === rtmp)
  await rig.close()
  await begin()
  expect((await until('the service', running)).rtmp).toContain(`:${rtmp}`)
  // What the command line says wins, and cannot be set here.
  await rig.close()
  await begin({ named: { data: true, ports: ['rtmp'] } })
  expect((await until('the service', running)).rtmp).not.toContain(`:${rtmp}`)
  expect(await rig.page.rpc.computer.setPorts({ ...usual, rtmp: null })).toMatchObject({
    outcome: 'named',
    listener: 'rtmp',
  })
  expect(await rig.page.rpc.computer.typeFolder({ path: path.join(folder.dir, 'x') })).toMatchObject({
    fault: 'named',
    handle: null,
  })
  await rig.close()
  await begin()
})

it('has all times in the zone that is set, or in that of the system', async () => {
  const { rpc } = rig.page
  const zone = () => rig.page.newest('service', ({ service }) => service.phase === 'running')?.service.timeZone
  expect(await rpc.computer.setTimeZone({ timeZone: 'Mars/Olympus', evenOnAir: false })).toMatchObject({
    outcome: 'unknown',
  })
  expect(await rpc.computer.setTimeZone({ timeZone: 'Pacific/Kiritimati', evenOnAir: false })).toMatchObject({
    outcome: 'done',
  })
  await until('the zone', () => zone() === 'Pacific/Kiritimati')
  // The service itself has it, for names of recordings.
  const info = await rpc.console.call({ profileId, path: '/local/service/info', parameters: {} })
  expect(JSON.stringify(info)).toContain('Pacific/Kiritimati')
  expect(await rpc.computer.setTimeZone({ timeZone: null, evenOnAir: false })).toMatchObject({ outcome: 'done' })
  await until("the system's zone", () => zone() === computer()?.timeZone.system)
})

it('moves the data of the running service and goes on with them, and waits for them while their disk is away', async () => {
  const { rpc } = rig.page
  const { cid } = await rpc.channels.create({ profileId, name: 'Moving' })
  const to = path.join(folder.dir, 'big')
  const { handle, path: at } = await rpc.computer.typeFolder({ path: to })
  expect(at).toBe(to)
  expect(await rpc.computer.moveFolder({ handle: 'guessed' })).toEqual({ begun: false, refused: 'unknown' })
  expect(await rpc.computer.moveFolder({ handle: handle ?? '' })).toEqual({ begun: true, refused: null })
  await until('the move', () => computer()?.moved?.outcome === 'moved' && computer()?.move === null)
  expect(computer()?.folder).toMatchObject({
    path: to,
    usual: path.join(home, 'service'),
    old: { path: path.join(home, 'service') },
  })
  const channels = async (): Promise<string[]> =>
    (await rig.page.rpc.channels.list({ profileId })).channels.map((each) => each.cid)
  await rig.companion.serviceReady(40_000)
  expect(await channels()).toContain(cid)
  expect((await rpc.computer.folderUse()).databases.files).toBeGreaterThan(0)
  const again = await rpc.computer.typeFolder({ path: path.join(folder.dir, 'another') })
  expect(await rpc.computer.moveFolder({ handle: again.handle ?? '' })).toEqual({ begun: false, refused: 'old' })
  expect(await rpc.computer.removeOldCopy({ keep: false })).toEqual({ done: true })
  expect(existsSync(path.join(home, 'service'))).toBe(false)
  expect(await rpc.computer.useUsualFolder()).toEqual({ done: false })

  await rig.close()
  renameSync(to, `${to} away`)
  rig = await startRig(home)
  await until('word that it is away', () => computer()?.folder.present === false)
  await until('why it waits', () => {
    const reason = rig.page.newest('service')?.service.reason
    return reason?.code === 'folderGone'
  })
  expect(await failureOf(rig.page.rpc.computer.folderUse())).toMatchObject({ kind: 'folder' })
  expect(existsSync(to)).toBe(false)
  renameSync(`${to} away`, to)
  await rig.page.rpc.app.restartService()
  await rig.companion.serviceReady(40_000)
  expect(await channels()).toContain(cid)
  await until('word that it is back', () => computer()?.folder.present === true)
})

it('tells which secrets are kept and tries the vault, without a value of them; a removed profile leaves none', async () => {
  const { rpc } = rig.page
  const canary = 'canary-9a8b7c6d5e4f'
  const far = await rpc.profiles.add({
    name: 'Far',
    liveUrl: 'https://live.example',
    messagingUrl: 'https://im.example',
    appKey: 'k',
    appSecret: canary,
  })
  await rpc.receivers.setSignKey({ profileId: far.id, signKey: canary, atService: false })
  const report = await rpc.computer.secrets()
  expect(report).toMatchObject({
    mode: { kind: 'session', reason: 'chosen' },
    entries: [
      { kind: 'own', count: 1 },
      { kind: 'profiles', count: 1 },
      { kind: 'signingKeys', count: 1 },
    ],
  })
  expect(JSON.stringify(report)).not.toContain(canary)
  expect((await rpc.computer.testSecrets()).mode).toMatchObject({ kind: 'session', reason: 'chosen' })
  await rpc.profiles.remove({ profileId: far.id })
  await until('an empty vault', async () => (await rpc.computer.secrets()).entries?.every(({ kind }) => kind === 'own'))
  expect(await failureOf(rpc.computer.showFolder())).toMatchObject({ kind: 'absent' })
  expect(await failureOf(rpc.computer.chooseFolder())).toMatchObject({ kind: 'absent' })
  expect(readFileSync(path.join(home, 'computer.json'), 'utf8')).not.toContain(canary)
})

it('has the folder chosen in the dialog of a shell that has one, and no typed path there', async () => {
  await rig.close()
  const shown: string[] = []
  const chosen = path.join(folder.dir, 'from the dialog')
  await begin({ chooseFolder: () => Promise.resolve(chosen), showFile: (file) => shown.push(file) })
  expect(await rig.page.rpc.computer.chooseFolder()).toMatchObject({ path: chosen, fault: null })
  expect(await failureOf(rig.page.rpc.computer.typeFolder({ path: chosen }))).toMatchObject({ kind: 'absent' })
  await rig.page.rpc.computer.showFolder()
  expect(shown).toEqual([path.join(folder.dir, 'big', 'sidestage.db')])
})
