import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts, friends, local, relations } from '../../contract/operations/index.ts'
import { startService, type TestService } from '../testing/start-service.ts'

// Bodies and headers as sent by clients in several languages (behaviour.md#lenient-parameters).
let service: TestService
beforeAll(async () => {
  service = await startService()
  for (const accid of ['bob', 'amy', '123']) await service.call(accounts.create, { accid })
})
afterAll(() => service.close())

const card = async (accid = 'bob') => (await service.call(accounts.getUinfos, { accids: [accid] })).uinfos![0]!
const base = () => new URL(service.service.ready.imBaseUrl)
/** Sends bytes on a new connection and reads until it closes. */
const bytes = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(base().port), '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.setEncoding('utf8').on('data', (part: string) => (answer += part))
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })

describe('a form', () => {
  it('may carry JSON that is not escaped', async () => {
    for (const ex of ['{"a":[1,{"b":"中文 😀"}]}', '{"rate":"50%","q":"a=b"}', '[]', '"?/#;:@"'])
      expect([ex, (await service.send(accounts.updateUinfo, `accid=bob&ex=${ex}`)).code, (await card()).ex]).toEqual([
        ex,
        200,
        ex,
      ])
    expect((await service.send(accounts.getUinfos, 'accids=["bob","amy"]')).uinfos).toHaveLength(2)
    expect((await service.send(accounts.getUinfos, 'accids=["bob", "amy"]')).uinfos).toHaveLength(2)
  })

  it('is escaped as the client likes: plus signs, %20, lower-case hex, everything', async () => {
    for (const body of [
      'sign=a+b%2bc',
      'sign=a%20b%2Bc',
      `sign=${[...Buffer.from('a b+c')].map((byte) => `%${byte.toString(16)}`).join('')}`,
    ]) {
      await service.send(accounts.updateUinfo, `accid=bob&${body}`)
      expect((await card()).sign).toBe('a b+c')
    }
    await service.send(accounts.updateUinfo, '%61ccid=bob&si%67n=%E4%BD%A0%f0%9f%98%80')
    expect((await card()).sign).toBe('你😀')
  })

  it('takes 1 and 0 for true and false, and words', async () => {
    for (const needkick of ['1', '0', 'true', 'false'])
      expect((await service.send(accounts.block, `accid=amy&needkick=${needkick}`)).code).toBe(200)
    for (const donnopOpen of ['1', '0', 'true', 'false'])
      expect((await service.send(accounts.setDonnop, `accid=amy&donnopOpen=${donnopOpen}`)).code).toBe(200)
    await service.call(accounts.unblock, { accid: 'amy' })
  })

  it('takes numbers for ids, in arrays and alone', async () => {
    expect((await service.send(accounts.getUinfos, 'accids=[123]')).uinfos).toEqual([{ accid: '123', valid: true }])
    expect((await service.send(friends.add, 'accid=123&faccid=amy&type=1')).code).toBe(200)
  })

  it('may carry empty optional parameters, none at all, spare separators and fields that nobody knows', async () => {
    expect((await service.send(accounts.create, 'accid=empty1&name=&props=&icon=&token=')).info).toMatchObject({
      accid: 'empty1',
      name: '',
      token: expect.stringMatching(/^.{32}$/) as string,
    })
    expect((await service.send(friends.add, 'accid=bob&faccid=amy&type=2&msg=')).code).toBe(200)
    expect((await service.send(friends.get, 'accid=bob&createtime=')).code).toBe(200)
    expect(
      (await service.send(accounts.block, '&&accid=empty1&needkick=&&future=1&__proto__=x&constructor=y&')).code,
    ).toBe(200)
  })

  it('without a value that is needed, or with one that is empty, answers 414 by name', async () => {
    for (const body of ['', 'accid=', 'accid', 'ACCID=bob'])
      expect([body, await service.send(accounts.block, body)]).toEqual([body, { code: 414, desc: 'accid is empty' }])
    expect((await service.send(relations.set, 'accid=bob&targetAcc=amy&relationType=1')).desc).toBe('value is empty')
  })

  it('with an accid twice, with other bytes than UTF-8, or as JSON or multipart answers 414', async () => {
    const wrong = [
      'accid=bob&accid=amy',
      Buffer.from('accid=bob&sign=\xff', 'latin1'),
      '{"accid":"bob"}',
      '--x\r\ncontent-disposition: form-data; name="accid"\r\n\r\nbob\r\n--x--',
    ]
    for (const body of wrong) expect((await service.send(accounts.updateUinfo, body)).code).toBe(414)
  })

  it.each([
    'application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded;charset=utf-8',
    'application/x-www-form-urlencoded; charset=UTF-8',
    'application/x-www-form-urlencoded;charset="utf-8"',
    'application/x-www-form-urlencoded;charset=utf8',
    'application/x-www-form-urlencoded;;charset=utf-8',
    'application/x-www-form-urlencoded;charset',
    'application/x-www-form-urlencoded;',
    'application/x-www-form-urlencoded, application/x-www-form-urlencoded',
    'APPLICATION/X-WWW-FORM-URLENCODED',
    'application/json;charset=utf-8',
    'text/plain;charset=UTF-8',
    'form',
    '',
    undefined,
  ])('is read under the type %s', async (type) => {
    const name = `n${String(type?.length)}`
    expect((await service.send(accounts.updateUinfo, `accid=bob&name=${name}中`, [['content-type', type]])).code).toBe(
      200,
    )
    expect((await card()).name).toBe(`${name}中`)
  })

  it('may come in chunks, cut within a character and an escape', async () => {
    const parts = [
      Buffer.from('accid=bo'),
      Buffer.from('b&sign=%E'),
      Buffer.from('4%BD%A0'),
      Buffer.from('😀').subarray(0, 2),
      Buffer.from('😀').subarray(2),
    ]
    const head = [
      `POST /nimserver${accounts.updateUinfo.path} HTTP/1.1`,
      `Host: ${base().host}`,
      ...Object.entries(service.sign()).map(([name, value]) => `${name}: ${value}`),
      'Content-Type: application/x-www-form-urlencoded;charset=utf-8',
      'Transfer-Encoding: chunked',
      'Connection: close',
      '',
      '',
    ].join('\r\n')
    const answer = await new Promise<string>((resolve, reject) => {
      let text = ''
      const socket = connect(Number(base().port), '127.0.0.1', () => {
        socket.write(head)
        const send = (index: number): void => {
          const part = parts[index]
          if (!part) return void socket.write('0\r\n\r\n')
          socket.write(Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]), () =>
            setImmediate(send, index + 1),
          )
        }
        send(0)
      })
      socket.setEncoding('utf8').on('data', (part: string) => (text += part))
      socket.on('close', () => resolve(text))
      socket.on('error', reject)
    })
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*\{"code":200\}/)
    expect((await card()).sign).toBe('你😀')
  })
})

describe('headers', () => {
  it('may be written in any case', async () => {
    const cases: ((name: string) => string)[] = [
      (name) => name.toLowerCase(),
      (name) => name.toUpperCase(),
      (name) => name,
    ]
    for (const written of cases) {
      const headers = Object.entries(service.sign()).map(([name, value]) => `${written(name)}: ${value}`)
      const answer = await bytes(
        [
          `POST /nimserver${accounts.block.path} HTTP/1.1`,
          `${written('Host')}: ${base().host}`,
          ...headers,
          'Content-Length: 10',
          'Connection: close',
          '',
          'accid=amy&',
        ].join('\r\n'),
      )
      expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*\{"code":200\}$/)
    }
    await service.call(accounts.unblock, { accid: 'amy' })
  })

  it('may repeat a Nonce, and be used whole for several calls', async () => {
    const headers = Object.entries(service.sign(0, 'same'))
    for (const accid of ['bob', 'amy', 'nobody'])
      expect((await service.send(accounts.updateUinfo, { accid }, headers)).code).toBe(accid === 'nobody' ? 414 : 200)
    expect((await service.send(friends.get, { accid: 'bob' }, Object.entries(service.sign(-1, 'same')))).code).toBe(200)
  })
})

describe('an answer', () => {
  it('is HTTP 200 with JSON in UTF-8 whatever its code', async () => {
    for (const body of ['accid=bob&name=中', 'accid=nobody']) {
      const { status, headers, text } = await service.raw(`/nimserver${accounts.updateUinfo.path}`, {
        headers: [['content-type', 'application/x-www-form-urlencoded'], ...Object.entries(service.sign())],
        body,
      })
      expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
      expect(JSON.parse(text)).toHaveProperty('code')
    }
  })

  it('to an unknown path is 404, to another method 405, to a body over 1 MiB 413', async () => {
    const signed = (): [string, string][] => Object.entries(service.sign())
    const unknown = await service.raw('/nimserver/user/nothing.action', { headers: signed(), body: '' })
    expect([unknown.status, JSON.parse(unknown.text)]).toEqual([
      404,
      { code: 404, desc: 'nothing is served at this path' },
    ])
    const foreign = await service.raw(`/nimserver${accounts.block.path}`, {
      headers: signed(),
      body: '',
      host: 'evil.example',
    })
    expect([foreign.status, JSON.parse(foreign.text)]).toEqual([
      403,
      {
        code: 403,
        desc: 'the Host header does not name this service: name it with --public-url, --public-api or --public-host',
      },
    ])
    expect((await service.raw(accounts.block.path, { headers: signed(), body: 'accid=bob' })).status).toBe(404)
    expect((await service.raw(`/nimserver${accounts.block.path}`, { method: 'GET', headers: signed() })).status).toBe(
      405,
    )
    const large = `accid=bob&sign=${'x'.repeat(1024 * 1024)}`
    const { status, text } = await service.raw(`/nimserver${accounts.updateUinfo.path}`, {
      headers: signed(),
      body: large,
    })
    expect([status, JSON.parse(text)]).toEqual([413, { code: 413, desc: 'the body is too large' }])
    expect((await service.call(local.settings, {})).code).toBe(200)
  })

  it('comes before the body when nobody known has signed', async () => {
    // The rest of the body never comes.
    const answer = await bytes(
      `POST /nimserver${accounts.block.path} HTTP/1.1\r\nHost: ${base().host}\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\naccid=`,
    )
    expect(answer).toMatch(/\{"code":414,"desc":"bad http header"\}$/)
  })
})
