import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { expect, it, vi } from 'vitest'
import { scratch } from '../testing/rig.ts'
import { askInstance, claimInstance, controlPath } from './instance.ts'

const answer = { shell: 'browser', url: 'http://127.0.0.1:1/', pid: 7, service: null } as const

it('a data folder is held by one instance, until that is released', () => {
  using folder = scratch()
  const first = claimInstance(folder.dir)
  expect(first).toBeDefined()
  expect(claimInstance(folder.dir)).toBeUndefined()
  first!.release()
  const second = claimInstance(folder.dir)
  expect(second).toBeDefined()
  second!.release()
})

it('a second instance is answered by the first, each time anew, and by none when that was released', async () => {
  using folder = scratch()
  const first = claimInstance(folder.dir)!
  let asked = 0
  await first.serve(() => ({ ...answer, pid: ++asked }))
  expect(await askInstance(folder.dir, 10_000)).toEqual({ ...answer, pid: 1 })
  expect(await askInstance(folder.dir, 10_000)).toEqual({ ...answer, pid: 2 })
  first.release()
  expect(await askInstance(folder.dir, 10_000)).toBeUndefined()
})

it('its socket is for the own user only, and answers nothing but the question', async () => {
  using folder = scratch()
  const first = claimInstance(folder.dir)!
  await first.serve(() => answer)
  const socket = controlPath(folder.dir)
  expect(statSync(socket).mode & 0o777).toBe(0o600)
  const said = await new Promise<string>((resolve, reject) => {
    let text = ''
    const connection = net.connect(socket, () => connection.write('GET / HTTP/1.1\r\n'))
    connection.setEncoding('utf8').on('data', (part: string) => (text += part))
    connection.on('error', reject).on('close', () => resolve(text))
  })
  expect(said).toBe('')
  first.release()
})

it('what lies in the place of the socket is set aside and not deleted', async () => {
  using folder = scratch()
  const first = claimInstance(folder.dir)!
  writeFileSync(controlPath(folder.dir), 'mine')
  await first.serve(() => answer)
  expect(await askInstance(folder.dir, 10_000)).toEqual(answer)
  const kept = readdirSync(folder.dir, { recursive: true }).map(String)
  expect(kept.some((name) => name !== 'control.sock' && path.basename(name).includes('control.sock'))).toBe(true)
  first.release()
})

it.each([
  ['no JSON', 'x\n'],
  ['another shell', JSON.stringify({ ...answer, shell: 'x' })],
  ['no address', JSON.stringify({ ...answer, url: 1 })],
  ['no process', JSON.stringify({ ...answer, pid: '7' })],
  ['nothing', 'null'],
  ['too much', `"${'x'.repeat(70_000)}"`],
])('an answer that is none is not taken: %s', async (_what, text) => {
  using folder = scratch()
  const server = net.createServer((connection) => connection.on('error', () => undefined).end(text))
  await new Promise<void>((resolve) => void server.listen(controlPath(folder.dir), resolve))
  expect(await askInstance(folder.dir, 10_000)).toBeUndefined()
  server.close()
})

it('waits for an answer only so long', async () => {
  using folder = scratch()
  const server = net.createServer(() => undefined)
  await new Promise<void>((resolve) => void server.listen(controlPath(folder.dir), resolve))
  expect(await askInstance(folder.dir, 20)).toBeUndefined()
  server.close()
})

it('the socket lies in the folder, or under the temporary one where that path would be too long', () => {
  using folder = scratch()
  expect(controlPath(folder.dir, 'linux')).toBe(path.join(folder.dir, 'control.sock'))
  const deep = path.join(folder.dir, 'x'.repeat(100))
  mkdirSync(deep)
  const socket = controlPath(deep, 'linux')
  expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(100)
  expect(socket).not.toBe(controlPath(`${deep}y`, 'linux'))
  expect(existsSync(socket)).toBe(false)
  expect(controlPath('C:\\Data', 'win32')).toBe(controlPath('c:\\data', 'win32'))
  expect(controlPath('/a', 'linux')).not.toBe(controlPath('/A', 'linux'))
})

it('a socket that a killed instance left is replaced', async () => {
  using folder = scratch()
  const socket = controlPath(folder.dir)
  const script = 'require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))'
  spawnSync(process.execPath, ['-e', script, socket], { stdio: 'ignore' })
  expect(statSync(socket).isSocket()).toBe(true)
  const first = claimInstance(folder.dir)!
  await first.serve(() => answer)
  expect(await askInstance(folder.dir, 10_000)).toEqual(answer)
  expect(existsSync(path.join(folder.dir, 'quarantine'))).toBe(false)
  first.release()
})

it('closes a connection that asks nothing, and answers at most eight at once', async () => {
  using folder = scratch()
  const first = claimInstance(folder.dir)!
  await first.serve(() => answer)
  const connections = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const connection = net.connect(controlPath(folder.dir))
      connection.on('error', () => undefined)
      await once(connection, 'connect')
      return connection
    }),
  )
  // A ninth one is closed without an answer.
  expect(await askInstance(folder.dir, 10_000)).toBeUndefined()
  await Promise.all(connections.map((connection) => once(connection.resume(), 'close')))
  expect(await askInstance(folder.dir, 10_000)).toEqual(answer)
  first.release()
})

it('closes the lock and state files of an older version to other users, and no file of a person', () => {
  using folder = scratch()
  for (const name of ['profiles.json', 'notes.txt']) {
    writeFileSync(path.join(folder.dir, name), '')
    chmodSync(path.join(folder.dir, name), 0o644)
  }
  const first = claimInstance(folder.dir)!
  const modeOf = (name: string): number => statSync(path.join(folder.dir, name)).mode & 0o777
  expect([modeOf('profiles.json'), modeOf('notes.txt'), modeOf('app-lock.db') & 0o077]).toEqual([0o600, 0o644, 0])
  first.release()
})

it('takes an answer of 64 KiB of characters, and none that is longer', async () => {
  for (const [length, takes] of [
    [65_536, true],
    [65_537, false],
  ] as const) {
    using folder = scratch()
    const text = JSON.stringify({ ...answer, url: '' })
    const url = 'x'.repeat(length - text.length)
    const server = net.createServer((connection) =>
      connection.on('error', () => undefined).end(JSON.stringify({ ...answer, url })),
    )
    await new Promise<void>((resolve) => void server.listen(controlPath(folder.dir), resolve))
    expect((await askInstance(folder.dir, 10_000))?.url, String(length)).toBe(takes ? url : undefined)
    server.close()
  }
})

it('waits 2 s for the question of a connection, and no longer', async () => {
  using folder = scratch()
  const turned = () => new Promise((resolve) => setImmediate(resolve))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const first = claimInstance(folder.dir)!
    await first.serve(() => answer)
    let isClosed = false
    const connection = net.connect(controlPath(folder.dir))
    connection.on('error', () => undefined).on('close', () => (isClosed = true))
    connection.resume()
    while (vi.getTimerCount() === 0) await turned()
    vi.advanceTimersByTime(1_999)
    for (let turn = 0; turn < 20; turn++) await turned()
    expect(isClosed).toBe(false)
    vi.advanceTimersByTime(1)
    while (!isClosed) await turned()
    expect(vi.getTimerCount()).toBe(0)
    first.release()
  } finally {
    vi.useRealTimers()
  }
})

it('the socket lies in the folder as long as its path has at most 100 bytes', () => {
  const folder = (length: number): string => `/${'x'.repeat(length - '/control.sock'.length - 1)}`
  expect(controlPath(folder(100), 'linux')).toBe(`${folder(100)}/control.sock`)
  expect(controlPath(folder(101), 'linux')).not.toBe(`${folder(101)}/control.sock`)
  // Bytes are counted, not characters.
  expect(controlPath(`/${'é'.repeat(60)}`, 'linux')).not.toContain('é')
})
