import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts, live, local, messages } from '../../contract/operations/index.ts'
import { createClient } from '../client/client.ts'
import { createTransport } from '../client/transport.ts'
import { systemClock } from '../../platform/clock.ts'
import { failureOf, type Rig, scratch, startRig } from '../testing/rig.ts'
import { createConsole } from './console.ts'
import { curlOf } from './curl.ts'
import { mask, maskAnswer, masked, maskText } from './mask.ts'

const run = promisify(execFile)
const secret = 'canary-SECRET-40d1'
interface Came {
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}
const came: Came[] = []
let answer: { status: number; text: string }
let server: Server
let service: { liveUrl: string; messagingUrl: string; appKey: string; appSecret: string }
const folder = scratch()
let rig: Rig

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      came.push({ headers: request.headers, body: Buffer.concat(parts) })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  service = { liveUrl: root, messagingUrl: `${root}/nimserver`, appKey: 'canaryKey0123456', appSecret: secret }
  rig = await startRig(folder.dir)
  await rig.companion.serviceReady(30_000)
})
afterAll(async () => {
  await rig.close()
  await new Promise((resolve) => server.close(resolve))
  folder[Symbol.dispose]()
})

const consoleOf = (isExtended = true) => {
  const transport = createTransport()
  let count = 0
  const client = createClient(service, {
    transport,
    clock: systemClock,
    random: (bytes) => Buffer.alloc(bytes, ++count),
  })
  return createConsole({ clock: systemClock, client: () => Promise.resolve(client), isExtended: () => isExtended })
}

describe('a call of the console', () => {
  it('goes to the service of this computer, signed, and comes back with its code', async () => {
    const made = await rig.page.rpc.console.call({
      profileId: 'local',
      path: live.create.path,
      parameters: { name: 'from_the_console', type: 0 },
    })
    expect(made).toMatchObject({ status: 200, code: 200, fault: null, cut: false, path: '/app/channel/create' })
    expect(made.answer).toContain('"cid"')
    const again = await rig.page.rpc.console.call({
      profileId: 'local',
      path: live.create.path,
      parameters: { name: 'from_the_console' },
    })
    expect(again).toMatchObject({ status: 200, code: 611, fault: null })
  })

  it('shows a refusal of what is not acceptable as the answer that it is', async () => {
    const refused = await rig.page.rpc.console.call({
      profileId: 'local',
      path: live.state.path,
      parameters: { cid: ['a', 1], nonsense: true },
    })
    expect(refused.code).not.toBe(200)
    expect(refused.fault).toBeNull()
  })

  it('masks the push address, the signature and secrets that were typed', async () => {
    const made = await rig.page.rpc.console.call({
      profileId: 'local',
      path: live.create.path,
      parameters: { name: 'masked_push' },
    })
    expect(made.answer).not.toMatch(/wsSecret=[0-9a-f]/)
    expect(made.headers.find(({ name }) => name === 'CheckSum')!.value).toMatch(/^[0-9a-f]{4}…$/)
    answer = { status: 200, text: JSON.stringify({ code: 200, info: { token: 'tok-1', accid: 'a', name: '' } }) }
    const created = await consoleOf().call('any', accounts.create.path, { accid: 'a', token: 'canary-TOKEN' })
    expect(JSON.stringify(created)).not.toMatch(/canary-TOKEN|tok-1/)
    expect(came.at(-1)!.body.toString()).toContain('token=canary-TOKEN')
    expect(JSON.stringify(made)).not.toContain(secret)
  })

  it('reaches nothing but operations of the contract that answer once', async () => {
    const call = (path: string, parameters = {}) =>
      failureOf(rig.page.rpc.console.call({ profileId: 'local', path, parameters }))
    for (const path of [
      '/',
      '/app/../local/service/info',
      'http://127.0.0.1/',
      local.events.path,
      '/nimserver/user/create.action',
    ])
      expect(await call(path)).toMatchObject({ kind: 'absent' })
    await expect(consoleOf(false).call('hosted', local.info.path, {})).rejects.toMatchObject({
      data: { kind: 'absent' },
    })
  })

  it('says what in an answer breaks the contract', async () => {
    answer = { status: 200, text: JSON.stringify({ code: 200, ret: {} }) }
    expect((await consoleOf().call('any', live.create.path, { name: 'x' })).fault).toContain('missing')
    answer = { status: 200, text: JSON.stringify({ code: 7, msg: 'odd' }) }
    expect((await consoleOf().call('any', live.create.path, { name: 'x' })).fault).toContain('not in its list')
    answer = { status: 502, text: '<html>no</html>' }
    expect(await consoleOf().call('any', live.create.path, { name: 'x' })).toMatchObject({
      status: 502,
      code: null,
      answer: '<html>no</html>',
      fault: null,
    })
  })
})

describe('the same call for a shell', () => {
  it('is signed by the shell itself and arrives with the same values, whatever is in them', async () => {
    answer = { status: 200, text: '{"code":200}' }
    const parameters = { name: `it's "$(id)" \`x\` \\ 中文 & = %41`, type: 0 }
    const env = { PATH: process.env['PATH'], APP_KEY: service.appKey, APP_SECRET: service.appSecret }
    for (const operation of [live.create, accounts.create] as const) {
      const text = curlOf(operation, new URL(service.liveUrl + operation.path), parameters)
      expect(text).not.toContain(secret)
      await run('sh', ['-c', text], { env })
      const { headers, body } = came.at(-1)!
      const [sum] = (
        await run(
          'sh',
          [
            '-c',
            'printf %s "$1" | openssl dgst -sha1 -r',
            'sh',
            secret + String(headers['nonce']) + String(headers['curtime']),
          ],
          { env },
        )
      ).stdout.split(' ')
      expect(headers['checksum']).toBe(sum)
      const given =
        operation.encoding === 'json'
          ? (JSON.parse(body.toString()) as typeof parameters)
          : Object.fromEntries(new URLSearchParams(body.toString()))
      expect(given['name']).toBe(parameters.name)
    }
  })
})

describe('masking', () => {
  it('follows the contract into objects and lists, and names besides', () => {
    expect(mask(accounts.create.answer, { info: { token: 't', accid: 'a' }, code: 200 })).toEqual({
      info: { token: masked, accid: 'a' },
      code: 200,
    })
    expect(maskAnswer({}, { a: [{ signKey: 'k', url: 'rtmp://h/live/c?wsSecret=abc&wsTime=1' }] })).toEqual({
      a: [{ signKey: masked, url: `rtmp://h/live/c?wsSecret=${masked}&wsTime=1` }],
    })
    expect(mask(messages.send.parameters, { ext: 'seen' })).toEqual({ ext: 'seen' })
  })
})

describe('the masks of a form and an answer', () => {
  it('hide the secret fields of a form and leave the rest as it was sent', () => {
    expect(maskText(accounts.create.parameters, 'accid=a&token=t%26&name=%E5%BD%95')).toBe(
      `accid=a&token=${masked}&name=%E5%BD%95`,
    )
    expect(maskText(accounts.create.parameters, 'nothing&=x&__proto__=1')).toBe('nothing&=x&__proto__=1')
  })

  it('follow lists of the contract, leave an empty secret empty, and what is no object as it is', () => {
    const fields = {
      list: { kind: 'list', of: { kind: 'text', secret: true } },
      one: { kind: 'text', secret: true },
    } as unknown as Parameters<typeof mask>[0]
    expect(mask(fields, { list: ['a', ''], one: '', other: 1 })).toEqual({ list: [masked, ''], one: '', other: 1 })
    expect(mask(fields, { one: null, list: 'no list' })).toEqual({ one: null, list: 'no list' })
    for (const value of ['text', null, ['a'], 7]) expect(mask(fields, value)).toEqual(value)
  })

  it.each(['token', 'secret', 'signKey', 'pushUrl', 'password', 'appSecret', 'wsSecret'])(
    'hide %s by its name, whoever answers it, where it has a text',
    (name) => {
      expect(maskAnswer({}, { [name]: 'x', deep: [{ [name.toUpperCase()]: 'y' }] })).toEqual({
        [name]: masked,
        deep: [{ [name.toUpperCase()]: masked }],
      })
      expect(maskAnswer({}, { [name]: '', [`${name}s`]: 'seen' })).toEqual({ [name]: '', [`${name}s`]: 'seen' })
      expect(maskAnswer({}, { [name]: 7 })).toEqual({ [name]: 7 })
    },
  )

  it.each(['wsSecret', 'token', 'ticket'])('hide %s in every address', (name) => {
    expect(maskAnswer({}, [`http://h/?${name}=abc#x http://h/?a=1&${name}=d"`])).toEqual([
      `http://h/?${name}=${masked}#x http://h/?a=1&${name}=${masked}"`,
    ])
  })
})

describe('what the console shows', () => {
  it('is the request in the form in which it went out, with its time and how long it took', async () => {
    answer = { status: 200, text: '{"code":200}' }
    let now = 1_000
    const transport = createTransport()
    const client = createClient(service, { transport, clock: systemClock, random: randomBytes })
    const { call } = createConsole({
      clock: { ...systemClock, now: () => (now += 7) },
      client: () => Promise.resolve(client),
      isExtended: () => true,
    })
    const json = await call('any', live.create.path, { name: 'x' })
    expect(json).toMatchObject({
      path: live.create.path,
      url: service.liveUrl + live.create.path,
      at: 1_007,
      milliseconds: 7,
      body: '{\n  "name": "x"\n}',
      answer: '{\n  "code": 200\n}',
    })
    const head = (name: string) => json.headers.find((one) => one.name === name)?.value
    expect([head('AppKey'), head('content-type')]).toEqual(['cana…', 'application/json;charset=utf-8'])
    expect((await call('any', accounts.create.path, { accid: 'a', token: 't' })).body).toBe(`accid=a&token=${masked}`)
    const file = await call('any', messages.fileUpload.path, { content: 'YQ==' })
    expect(file.body).toBe(`multipart/form-data, ${came.at(-1)!.body.length} bytes`)
    expect(file.curl).toContain("-F 'content=@FILE'")
    transport.close()
  })

  it('is cut at 100,000 characters, and says so of the answer', async () => {
    answer = { status: 200, text: 'x'.repeat(100_000) }
    expect(await consoleOf().call('any', live.create.path, {})).toMatchObject({ cut: false, answer: answer.text })
    answer = { status: 200, text: 'x'.repeat(100_001) }
    const made = await consoleOf().call('any', live.create.path, { name: 'y'.repeat(100_001) })
    expect([made.cut, made.answer.length, made.body.length, made.curl.length]).toEqual([
      true,
      100_000,
      100_000,
      100_000,
    ])
    expect(made.fault).not.toBeNull()
  })
})
