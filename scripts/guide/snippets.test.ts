import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callbackSign, signHeader } from '../../contract/callbacks/recording.ts'
import type { ServiceReady } from '../../contract/service-process.ts'
import { codeBlocks, readPages, root } from './pages.ts'

/** Runs what docs/guide/en/integrating.md shows against a service of its own; the Chinese page has the same code. */
const [page] = readPages('docs/guide/en/integrating.md')
const blocks = codeBlocks(page!)
const code = (language: string, index = 0): string => blocks.filter((block) => block.language === language)[index]!.code
const credentials = { SIDESTAGE_APP_KEY: 'my-app', SIDESTAGE_APP_SECRET: 'of-the-guide' }
const folder = mkdtempSync(path.join(tmpdir(), 'sidestage-guide-'))
const started: ChildProcess[] = []
let ready: ServiceReady
let env: NodeJS.ProcessEnv = {}

/** Starts a program and hands on its lines. */
function start(
  command: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv,
  line: (text: string) => void,
): ChildProcess {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...credentials, ...more },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  started.push(child)
  createInterface({ input: child.stdout! }).on('line', line)
  return child
}
/** Runs a snippet to its end and gives what it printed. */
function run(command: string, file: string, text: string): Promise<string> {
  const script = path.join(folder, file)
  writeFileSync(script, text)
  return new Promise((resolve, reject) => {
    let said = ''
    const child = start(command, [script], env, (line) => (said += `${line}\n`))
    child.once('error', reject)
    child.once('close', (status) =>
      status === 0 ? resolve(said) : reject(new Error(`${file} ended with ${status}: ${said}`)),
    )
  })
}
const has = (command: string): boolean => spawnSync(command, ['--version']).status === 0

beforeAll(async () => {
  ready = await new Promise<ServiceReady>((resolve) => {
    start(
      process.execPath,
      [
        'service/main.ts',
        '--data',
        path.join(folder, 'data'),
        '--api-port',
        '0',
        '--media-port',
        '0',
        '--rtmp-port',
        '0',
      ],
      {},
      (line) => resolve(JSON.parse(line) as ServiceReady),
    )
  })
  env = { SIDESTAGE_URL: ready.baseUrl, SIDESTAGE_LINK_URL: ready.linkUrl }
})
afterAll(async () => {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
  rmSync(folder, { recursive: true, force: true })
})

it('makes a channel and a room from Node, and signs an account in on the link', async () => {
  const said = await run(process.execPath, 'call.mjs', code('js'))
  expect(said).toMatch(/^push to rtmp:\/\/127\.0\.0\.1:\d+\/live\/[0-9a-f]{32}\?wsSecret=/)
  expect(said).toMatch(/^room \d+$/m)
  expect(await run(process.execPath, 'link.mjs', code('js', 2))).toBe('ok\nok\n')
})

it.skipIf(!has('curl') || !has('bash'))('makes a channel with curl (skipped without curl or bash)', async () => {
  expect(JSON.parse(await run('bash', 'call.sh', code('bash')))).toMatchObject({
    code: 200,
    ret: { name: 'From_curl' },
  })
})

it.skipIf(!has('python3'))('makes a channel from Python (skipped without python3)', async () => {
  expect(await run('python3', 'call.py', code('python'))).toMatch(/^push to rtmp:/)
})

it('receives copies of the service and callbacks, each once, and turns forgeries away', async () => {
  const lines: string[] = []
  let heard = (): void => undefined
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise<void>((resolve) => (heard = resolve))
  }
  const script = path.join(folder, 'receiver.mjs')
  writeFileSync(script, code('js', 1))
  start(process.execPath, [script], { ...env, PORT: '0', SIGN_KEY: 'key-of-callbacks' }, (line) => {
    lines.push(line)
    heard()
  })
  await until(() => lines.length > 0)
  const receiver = `http://127.0.0.1:${lines[0]!.split(' ').at(-1)}`

  const caller = code('js').slice(0, code('js').indexOf('const { ret }'))
  const set = `await call('/local/copy/set', { url: '${receiver}/copy', kinds: [1, 2, 3, 4] })\n`
  const accounts = `for (const accid of ['bob', 'cat']) await call('/nimserver/user/create.action', new URLSearchParams({ accid }))\n`
  const fields = `from: 'bob', ope: '0', to: 'cat', type: '0', body: '{"msg":"hello"}'`
  await run(
    process.execPath,
    'send.mjs',
    `${caller}${set}${accounts}await call('/nimserver/msg/sendMsg.action', new URLSearchParams({ ${fields} }))\n`,
  )
  await until(() => lines.includes('bob: hello'))
  // Lines of a room have no id of the service.
  const room = `
    const form = (fields) => new URLSearchParams(fields)
    const { chatroom } = await call('/nimserver/chatroom/create.action', form({ creator: 'bob', name: 'Bob talks' }))
    const line = { roomid: chatroom.roomid, fromAccid: 'bob', msgType: '0' }
    await call('/nimserver/chatroom/sendMsg.action', form({ ...line, msgId: 'a', attach: 'one' }))
    await call('/nimserver/chatroom/sendMsg.action', form({ ...line, msgId: 'b', attach: 'two' }))
    console.log(chatroom.roomid)`
  const roomid = (await run(process.execPath, 'say.mjs', caller + room)).trim()
  await until(() => lines.includes(`room ${roomid}, bob: two`))
  expect(await run(process.execPath, 'link.mjs', code('js', 2))).toBe('ok\nok\n')
  await until(() => lines.includes('ann logged out'))
  const wrong = code('js', 2)
    .replace('a-token-of-ann', 'another-token')
    .replace('console.log(frame.t)', "console.log(frame.t)\n  if (frame.t !== 'ok') socket.close()")
  await run(process.execPath, 'wrong.mjs', wrong)
  // The third of this account, whatever it says.
  await until(() => lines.filter((line) => line.startsWith('ann ')).length === 3)

  const callback = { video_name: 'Show_1', orig_video_key: 'k', uid: '1', vid: '2', cid: 'c', nId: 'n1' }
  const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
  const post = async (body: object, sign: string): Promise<number> =>
    (
      await fetch(`${receiver}/callback`, {
        method: 'POST',
        headers: { [signHeader]: sign },
        body: JSON.stringify(body),
      })
    ).status
  const sign = callbackSign(md5, callback, 'key-of-callbacks')
  expect(await post({ ...callback, vid: '3' }, sign)).toBe(403)
  expect(await post(callback, sign)).toBe(200)
  expect(await post(callback, sign)).toBe(200)
  expect((await fetch(`${receiver}/copy`, { method: 'POST', body: 'no JSON' })).status).toBe(403)
  await until(() => lines.includes('recorded Show_1'))
  expect(lines.slice(1)).toEqual([
    'bob: hello',
    `room ${roomid}, bob: one`,
    `room ${roomid}, bob: two`,
    'ann logged in',
    'ann logged out',
    'ann was refused a log-in (414)',
    'recorded Show_1',
  ])
})
