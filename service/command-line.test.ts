import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openQuarantine } from '../platform/quarantine.ts'
import { readCommandLine, UsageError } from './command-line.ts'
import { standAloneCredentials } from './credentials.ts'
import { silentLog } from './log.ts'

describe('the command line', () => {
  it('has defaults on loopback', () => {
    expect(readCommandLine(['--data', 'd'])).toEqual({
      dataDir: 'd',
      api: { host: '127.0.0.1', port: 8710 },
      media: { host: '127.0.0.1', port: 8711 },
      rtmp: { host: '127.0.0.1', port: 1935 },
    })
  })

  it('takes no data directory whose name Windows cannot keep, there', () => {
    for (const dir of ['D:\\NUL', 'D:\\data.\\live', 'D:\\a:b'])
      expect(() => readCommandLine(['--data', dir], 'win32')).toThrow(
        /^--data: Windows cannot keep the name "(NUL|data\.|a:b)"/,
      )
    expect(readCommandLine(['--data', '/data/NUL'], 'linux')).toMatchObject({ dataDir: '/data/NUL' })
  })

  it('takes every flag', () => {
    const args =
      '--data d --api-port 1 --media-port 2 --rtmp-port 0 --bind-api ::1 --bind-media 0.0.0.0 --bind-rtmp localhost --public-host a.example --public-url https://live.example.com/tv/ --public-api https://api.example.com --public-link wss://l.example.com:8443/link --public-rtmp rtmps://in.example.com --trust-proxy 10.0.0.0/8,::1 --trust-proxy 192.0.2.1 --time-zone Asia/Shanghai --origin http://a.example --origin http://localhost:5173 --recording-minute 1500 --recording-reserve 0 --plain-sign-in --metrics-port 9 --metrics-host 0.0.0.0 --drain-seconds 30 --hooks-port 8 --hooks-host 0.0.0.0 --hooks-way rtmp://10.0.0.9 --ingest-server srs=http://10.0.0.5:1985/ --ingest-server nginx-rtmp=http://10.0.0.6'
    expect(readCommandLine(args.split(' '))).toEqual({
      dataDir: 'd',
      api: { host: '::1', port: 1 },
      media: { host: '0.0.0.0', port: 2 },
      rtmp: { host: '127.0.0.1', port: 0 },
      publicHost: 'a.example',
      publicAddresses: {
        media: 'https://live.example.com/tv',
        api: 'https://api.example.com',
        link: 'wss://l.example.com:8443/link',
        rtmp: 'rtmps://in.example.com',
      },
      trustedProxies: ['10.0.0.0/8', '::1', '192.0.2.1'],
      namedPorts: ['api', 'media', 'rtmp'],
      timeZone: 'Asia/Shanghai',
      origins: ['http://a.example', 'http://localhost:5173'],
      recording: { minute: 1500, reserve: 0 },
      plainSignIn: true,
      metrics: { host: '0.0.0.0', port: 9 },
      hooks: {
        host: '0.0.0.0',
        port: 8,
        way: 'rtmp://10.0.0.9',
        servers: [
          { make: 'srs', url: 'http://10.0.0.5:1985' },
          { make: 'nginx-rtmp', url: 'http://10.0.0.6' },
        ],
      },
      drain: 30_000,
    })
    expect(readCommandLine(['--help'])).toBe('help')
  })

  it('takes what becomes of a database, an address of copies and fault injection, each only when it is said', () => {
    const read = (...args: string[]) => readCommandLine(['--data', 'd', ...args])
    expect(read('--restore-copy', 'latest')).toMatchObject({ recovery: { copy: 'latest' } })
    expect(read('--restore-copy', 'sidestage-2026-06-01T12-00-00Z.db')).toMatchObject({
      recovery: { copy: 'sidestage-2026-06-01T12-00-00Z.db' },
    })
    expect(read('--begin-anew')).toMatchObject({ recovery: { copy: null } })
    expect(read('--copy-url', 'https://a.example/x')).toMatchObject({ copyUrl: 'https://a.example/x' })
    expect(read('--faults')).toMatchObject({ faults: true })
    expect(read('--node', 'a', '--node-media', 'https://a.example/')).toMatchObject({
      node: 'a',
      nodeMedia: 'https://a.example',
    })
    expect(read('--public-host', '2001:db8::1')).toMatchObject({ publicHost: '2001:db8::1' })
    expect(Object.keys(read())).toEqual(['dataDir', 'api', 'media', 'rtmp'])
  })

  it('does not repeat an address of copies that it refuses, as it may hold a secret', () => {
    expect(() => readCommandLine(['--data', 'd', '--copy-url', 'http://user:canary@a.example/'])).toThrow(UsageError)
    expect(() => readCommandLine(['--data', 'd', '--copy-url', 'http://user:canary@a.example/'])).not.toThrow(/canary/)
  })

  it('makes the zone the one that the system names', () => {
    expect(readCommandLine(['--data', 'd', '--time-zone', 'asia/shanghai'])).toMatchObject({
      timeZone: 'Asia/Shanghai',
    })
  })

  it.each<[string, string[], RegExp]>([
    ['no data directory', [], /^--data DIR is missing/],
    ['a flag that it does not know', ['--data', 'x', '--bogus'], /^Unknown option '--bogus'/],
    ['a flag twice', ['--data', 'x', '--data', 'y'], /^--data is given twice\.$/],
    ['a port twice', ['--data', 'x', '--api-port', '1', '--api-port=1'], /^--api-port is given twice\.$/],
    ['a flag without a value twice', ['--data', 'x', '--faults', '--faults'], /^--faults is given twice\.$/],
    ['a word without a flag', ['--data', 'x', 'word'], /^Unexpected argument 'word'/],
    ['a flag without its value', ['--data'], /'--data <value>' argument missing/],
    [
      'a port that is none',
      ['--data', 'x', '--api-port', '65536'],
      /^--api-port must be a port from 0 to 65535, not "65536"/,
    ],
    ['a way of hooks alone', ['--data', 'x', '--hooks-way', 'rtmp://a'], /^--hooks-way needs --hooks-port\.$/],
    [
      'a way of hooks that is none',
      ['--data', 'x', '--hooks-port', '1', '--hooks-way', 'rtmp://a:b@c'],
      /^--hooks-way must be an address/,
    ],
    [
      'an ingest server of an unknown make',
      ['--data', 'x', '--hooks-port', '1', '--ingest-server', 'obs=http://a'],
      /^--ingest-server must be MAKE=URL .* nginx-rtmp, srs, mediamtx as makes\.$/,
    ],
    [
      'a password of an ingest server',
      ['--data', 'x', '--hooks-port', '1', '--ingest-server', 'srs=http://a:b@c'],
      /^--ingest-server must be MAKE=URL/,
    ],
    ['a metrics host alone', ['--data', 'x', '--metrics-host', '::1'], /^--metrics-host needs --metrics-port\.$/],
    ['a metrics port that is none', ['--data', 'x', '--metrics-port', 'a'], /^--metrics-port must be a port/],
    [
      'a drain that is too long',
      ['--data', 'x', '--drain-seconds', '601'],
      /^--drain-seconds must be a number from 0 to 600, not "601"/,
    ],
    [
      'a node media address that is none',
      ['--data', 'x', '--node', 'a', '--node-media', 'rtmp://a.example'],
      /^--node-media must be an address such as https:.*, not "rtmp:/,
    ],
    ['a negative port', ['--data', 'x', '--rtmp-port=-1'], /^--rtmp-port must be a port/],
    ['an address that is none', ['--data', 'x', '--bind-media', 'here'], /^--bind-media must be an IP address/],
    ['a host with a path', ['--data', 'x', '--public-host', 'a/b'], /^--public-host must be a host name/],
    [
      'a public address of another scheme',
      ['--data', 'x', '--public-url', 'ftp://a.example'],
      /^--public-url must be an address such as https:.*, not "ftp:.*": it must begin with https:\/\/ or http:\/\/\.$/,
    ],
    [
      'a public address with a blank',
      ['--data', 'x', '--public-url', 'https://a.example/my tv'],
      /: it may have no blanks\.$/,
    ],
    [
      'a public address with another character',
      ['--data', 'x', '--public-url', 'https://a.example/$(id)'],
      /: its host and path may have letters, digits and \. _ ~ - only\.$/,
    ],
    ['a public address without a host', ['--data', 'x', '--public-url', 'https://'], /: it must have a host/],
    [
      'a public address with a port that is none',
      ['--data', 'x', '--public-url', 'https://a:99999'],
      /: it must have a host/,
    ],
    [
      'a link without its path',
      ['--data', 'x', '--public-link', 'wss://a.example/'],
      /^--public-link must be an address such as wss:.*: it must have the path of the link, which is told as given\.$/,
    ],
    [
      'a port with a sign, as a word of its own',
      ['--data', 'x', '--api-port', '-1'],
      /^--api-port must be a port from 0 to 65535, not "-1"/,
    ],
    [
      'a value that begins like a switch',
      ['--data', '-x'],
      /^--data needs a value: "-x" is read as a switch; write --data=-x if it is meant\.$/,
    ],
    [
      'a switch in the place of a value',
      ['--data', '--faults'],
      /^--data needs a value: "--faults" is read as a switch/,
    ],
    [
      'a public address with a query',
      ['--data', 'x', '--public-api', 'https://a.example/?x'],
      /^--public-api must be an address.*: it may have no query and no fragment\.$/,
    ],
    [
      'a public address with a name',
      ['--data', 'x', '--public-url', 'https://me@a.example'],
      /^--public-url must be an address.*: it may have no user name and no password\.$/,
    ],
    [
      'a link that is no WebSocket',
      ['--data', 'x', '--public-link', 'https://a.example/link'],
      /^--public-link must be an address such as wss/,
    ],
    [
      'an RTMP root with a path',
      ['--data', 'x', '--public-rtmp', 'rtmp://a.example/live'],
      /^--public-rtmp must be an address.*: it may have no path, as those of channels are added to it\.$/,
    ],
    [
      'a proxy that is a name',
      ['--data', 'x', '--trust-proxy', '10.0.0.0/8,proxy'],
      /^--trust-proxy: "proxy" is no IP address or range/,
    ],
    ['a certificate alone', ['--data', 'x', '--tls-cert', 'c'], /^--tls-key FILE is missing: --tls-cert needs it\.$/],
    ['a key alone', ['--data', 'x', '--tls-key', 'k'], /^--tls-cert FILE is missing: --tls-key needs it\.$/],
    [
      'an empty certificate',
      ['--data', 'x', '--tls-cert', '', '--tls-key', 'k'],
      /^--tls-cert FILE is missing: --tls-key needs it\.$/,
    ],
    ['a zone that is none', ['--data', 'x', '--time-zone', 'Mars/Base'], /^--time-zone must be an IANA zone/],
    [
      'a minute that is too short',
      ['--data', 'x', '--recording-minute', '199'],
      /^--recording-minute must be a whole number of ms from 200 to 60000, not "199"/,
    ],
    ['a minute that is too long', ['--data', 'x', '--recording-minute', '60001'], /^--recording-minute must be/],
    [
      'a reserve that is no number',
      ['--data', 'x', '--recording-reserve', '1e3'],
      /^--recording-reserve must be a whole number of bytes/,
    ],
    [
      'a reserve beyond any disk',
      ['--data', 'x', '--recording-reserve', '9999999999999999'],
      /^--recording-reserve must be/,
    ],
    [
      'a copy and a new database',
      ['--data', 'x', '--restore-copy', 'latest', '--begin-anew'],
      /^--restore-copy and --begin-anew cannot be used together\.$/,
    ],
    [
      'a copy in another folder',
      ['--data', 'x', '--restore-copy', '../x.db'],
      /^--restore-copy must be "latest" or the name of a copy, not "\.\.\/x\.db"/,
    ],
    ['a port that is no number', ['--data', 'x', '--media-port', '80a'], /^--media-port must be a port/],
    ['a host that is too long', ['--data', 'x', '--public-host', 'a'.repeat(64)], /^--public-host must be a host name/],
    ['a host with a port', ['--data', 'x', '--public-host', 'a.example:80'], /^--public-host must be a host name/],
    ['an origin with a path', ['--data', 'x', '--origin', 'http://a/b'], /^--origin must be an origin/],
  ])('with %s is refused in a sentence', (_what, args, message) => {
    expect(() => readCommandLine(args)).toThrow(UsageError)
    expect(() => readCommandLine(args)).toThrow(message)
  })
})

describe('the values of the command line', () => {
  const read = (...args: string[]) => readCommandLine(['--data', 'd', ...args])

  it('may be at the ends of their ranges', () => {
    expect(read('--api-port', '65535', '--media-port', '0')).toMatchObject({
      api: { port: 65_535 },
      media: { port: 0 },
    })
    expect(read('--recording-minute', '200')).toMatchObject({ recording: { minute: 200 } })
    expect(read('--recording-minute', '60000', '--recording-reserve', String(2 ** 50))).toMatchObject({
      recording: { minute: 60_000, reserve: 2 ** 50 },
    })
    const label = 'a'.repeat(63)
    expect(read('--public-host', `${label}.${label}`)).toMatchObject({ publicHost: `${label}.${label}` })
    expect(read('--restore-copy', 'a'.repeat(64))).toMatchObject({ recovery: { copy: 'a'.repeat(64) } })
  })

  it.each([
    ['--api-port', '100000', '--api-port must be a port'],
    ['--restore-copy', 'a'.repeat(65), '--restore-copy must be "latest"'],
    ['--restore-copy', '', '--restore-copy must be "latest"'],
    ['--public-host', '-a.example', '--public-host must be a host name'],
    ['--public-host', 'a-.example', '--public-host must be a host name'],
    ['--public-host', '', '--public-host must be a host name'],
    ['--bind-rtmp', '', '--bind-rtmp must be an IP address'],
    ['--origin', 'http://a/', '--origin must be an origin'],
    ['--origin', 'null', '--origin must be an origin'],
    ['--trust-proxy', '', '--trust-proxy: '],
    ['--recording-reserve', String(2 ** 50 + 1), '--recording-reserve must be'],
    ['--copy-url', 'ftp://a.example/', '--copy-url: '],
  ])('beyond them or in another form are refused: %s %s', (flag, value, words) => {
    expect(() => read(`${flag}=${value}`)).toThrow(UsageError)
    expect(() => read(`${flag}=${value}`)).toThrow(words)
  })

  it('are not looked at where help is asked for, and an empty data directory is none', () => {
    expect(readCommandLine(['--help', '--api-port', 'x'])).toBe('help')
    expect(() => readCommandLine(['--data', ''])).toThrow('--data DIR is missing')
  })

  it('of proxies may be in one list with spaces', () => {
    expect(read('--trust-proxy', ' 10.0.0.0/8 , ::1')).toMatchObject({ trustedProxies: ['10.0.0.0/8', '::1'] })
  })
})

describe('the key pair', () => {
  const inFolder = (content: string, environment: NodeJS.ProcessEnv = {}): unknown => {
    const dir = mkdtempSync(join(tmpdir(), 'sidestage-credentials-'))
    writeFileSync(join(dir, 'credentials.json'), content)
    try {
      return standAloneCredentials(dir, environment, silentLog)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  }

  it('comes from the environment before the file, and its secret is taken out of the environment', () => {
    const environment: NodeJS.ProcessEnv = { SIDESTAGE_APP_KEY: 'k', SIDESTAGE_APP_SECRET: 'secret-8' }
    expect(inFolder('{"appKey":"a","appSecret":"secret-b"}', environment)).toEqual({
      appKey: 'k',
      appSecret: 'secret-8',
    })
    expect(environment).not.toHaveProperty('SIDESTAGE_APP_SECRET')
    expect(inFolder('{"appKey":"a","appSecret":"secret-b"}')).toEqual({ appKey: 'a', appSecret: 'secret-b' })
  })

  it.each([
    ['null', /credentials.json must give/],
    ['{"appKey":"a"}', /must give/],
    ['{"appKey":"a","appSecret":""}', /must give/],
    ['{"appKey":"a b","appSecret":"secret-c"}', /without spaces/],
    ['{"appKey":"a","appSecret":"seven-7"}', /credentials.json: the AppSecret must have at least 8 characters/],
  ])('of a file with %j is refused', (content, message) => {
    expect(() => inFolder(content)).toThrow(message)
  })

  it.each(['', '{"appKey":"a","appSec', Buffer.from([0xff, 0xfe, 0x00])])(
    'of a file with %j is set aside, and a new one is made',
    (content) => {
      const dir = mkdtempSync(join(tmpdir(), 'sidestage-credentials-'))
      writeFileSync(join(dir, 'credentials.json'), content)
      try {
        const pair = standAloneCredentials(dir, {}, silentLog)
        expect(standAloneCredentials(dir, {}, silentLog)).toEqual(pair)
        const quarantine = openQuarantine({ folder: dir, now: Date.now })
        const [entry] = quarantine.list()
        expect(entry).toMatchObject({ reason: 'damaged', paths: ['credentials.json'] })
        expect(readFileSync(quarantine.files(entry!.id)![0]!.file)).toEqual(Buffer.from(content))
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    },
  )

  it('is made for its owner alone and said where it is, later that it comes from there', () => {
    const dir = join(mkdtempSync(join(tmpdir(), 'sidestage-credentials-')), 'new')
    const said: string[] = []
    const log = {
      info: (_fields: object, sentence: string) => void said.push(`info: ${sentence}`),
      warn: (_fields: object, sentence: string) => void said.push(`warn: ${sentence}`),
    }
    const path = join(dir, 'credentials.json')
    try {
      const pair = standAloneCredentials(dir, {}, log)
      expect(pair).toEqual({
        appKey: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        appSecret: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
      })
      if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(standAloneCredentials(dir, {}, log)).toEqual(pair)
      rmSync(path)
      expect(standAloneCredentials(dir, {}, log)).not.toEqual(pair)
      expect(said).toEqual([
        'info: a key pair was generated and saved in this file',
        'info: the key pair comes from this file',
        'warn: the key pair was missing; a new one was generated, which every client needs',
      ])
    } finally {
      rmSync(dirname(dir), { recursive: true, force: true })
    }
  })

  it.skipIf(process.platform === 'win32')(
    'in a file that others could read is narrowed to its owner, with a warning',
    () => {
      const dir = mkdtempSync(join(tmpdir(), 'sidestage-credentials-'))
      const warned: string[] = []
      const path = join(dir, 'credentials.json')
      try {
        writeFileSync(path, '{"appKey":"a","appSecret":"secret-b"}')
        chmodSync(path, 0o640)
        const log = { info: () => undefined, warn: (_fields: object, sentence: string) => void warned.push(sentence) }
        expect(standAloneCredentials(dir, {}, log)).toEqual({ appKey: 'a', appSecret: 'secret-b' })
        expect([statSync(path).mode & 0o777, warned]).toEqual([
          0o600,
          ['the key pair was readable by others; its mode is 0600 now'],
        ])
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    },
  )

  it.each([
    [{ SIDESTAGE_APP_KEY: 'k' }],
    [{ SIDESTAGE_APP_SECRET: 'secret-8' }],
    [{ SIDESTAGE_APP_KEY: 'k\nx', SIDESTAGE_APP_SECRET: 'secret-8' }],
    [{ SIDESTAGE_APP_KEY: '', SIDESTAGE_APP_SECRET: 'secret-8' }],
    [{ SIDESTAGE_APP_KEY: 'k', SIDESTAGE_APP_SECRET: 'seven-7' }],
  ])('of an environment with %j is refused', (environment) => {
    expect(() => inFolder('{}', environment)).toThrow(UsageError)
  })

  it('has 128 characters at most in each part, of ASCII that can be seen', () => {
    const of = (appKey: string, appSecret = 'secret-8') => inFolder(JSON.stringify({ appKey, appSecret }))
    const longest = '!'.repeat(127) + '~'
    expect(of(longest, longest)).toEqual({ appKey: longest, appSecret: longest })
    for (const wrong of ['x'.repeat(129), 'a b', 'é', '\u007f', ''])
      for (const pair of [() => of(wrong), () => of('k', wrong)]) expect(pair).toThrow(UsageError)
  })

  it('is taken without what else stands in its file, and noted, so that its loss is told', () => {
    const dir = mkdtempSync(join(tmpdir(), 'sidestage-credentials-'))
    const warned: string[] = []
    const log = { info: () => undefined, warn: (_fields: object, sentence: string) => void warned.push(sentence) }
    try {
      writeFileSync(join(dir, 'credentials.json'), '{"appKey":"a","appSecret":"secret-b","more":1}', { mode: 0o600 })
      expect(standAloneCredentials(dir, {}, log)).toEqual({ appKey: 'a', appSecret: 'secret-b' })
      rmSync(join(dir, 'credentials.json'))
      standAloneCredentials(dir, {}, log)
      expect(warned).toEqual(['the key pair was missing; a new one was generated, which every client needs'])
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })

  it('that cannot be read is told to be set aside, as every caller needs the new one', () => {
    const dir = mkdtempSync(join(tmpdir(), 'sidestage-credentials-'))
    const warned: unknown[] = []
    const path = join(dir, 'credentials.json')
    try {
      writeFileSync(path, '{', { mode: 0o600 })
      standAloneCredentials(dir, {}, { info: () => undefined, warn: (...what) => void warned.push(what) })
      expect(warned[0]).toEqual([
        { file: path },
        'the key pair could not be read and was set aside in the quarantine; ' +
          'a new one is made, which every caller needs',
      ])
      expect((JSON.parse(readFileSync(path, 'utf8')) as { appKey: string }).appKey).toMatch(/^[0-9a-f]{32}$/)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })
})
