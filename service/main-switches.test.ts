import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listenOn } from '../platform/listen.ts'
import { certificateFiles, selfSigned } from './reach/testing/certificates.ts'
import { freePort } from './targets/testing/nginx-target.ts'
import { startServiceProcess, type ServiceProcess } from './testing/service-process.ts'

let dir: string
let running: ServiceProcess[]
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sidestage-switches-'))
  running = []
})
afterEach(async () => {
  for (const { child, exited } of running) {
    child.kill('SIGKILL')
    await exited
  }
  rmSync(dir, { recursive: true, force: true })
})

/** Free ports of the listeners, but for those that a test names itself. */
const freeBut = (...named: readonly string[]): string[] =>
  ['api', 'media', 'rtmp'].flatMap((name) => (named.includes(name) ? [] : [`--${name}-port`, '0']))
const free = freeBut()
const start = (args: readonly string[]): ServiceProcess => {
  const one = startServiceProcess(args)
  running.push(one)
  return one
}

describe('a start whose switch names what cannot be used', () => {
  it('ends with a sentence where a port is taken that was named', async () => {
    const holder = createServer()
    const taken = await listenOn(holder, '127.0.0.1', 0)
    const { certificateFile, keyFile, write, remove } = certificateFiles()
    write(await selfSigned(['127.0.0.1']))
    const secure = ['--tls-cert', certificateFile, '--tls-key', keyFile]
    try {
      for (const [name, ...more] of [
        ['api'],
        ['media'],
        ['rtmp'],
        ['https', ...secure],
        ['rtmps', ...secure],
      ] as const) {
        const one = start(['--data', dir, ...freeBut(name), `--${name}-port`, String(taken), ...more])
        expect(await one.exited, name).toBe(1)
        expect(one.stdout()).toBe('')
        const said = `port ${taken} (--${name}-port) is taken by `
        expect(
          one
            .log()
            .split('\n')
            .some((line) => line.startsWith(said)),
          one.log(),
        ).toBe(true)
      }
    } finally {
      holder.close()
      remove()
    }
  })

  it('names both switches where they name one port', async () => {
    const { certificateFile, keyFile, write, remove } = certificateFiles()
    write(await selfSigned(['127.0.0.1']))
    const secure = ['--tls-cert', certificateFile, '--tls-key', keyFile]
    const port = String(await freePort())
    try {
      for (const [first, second] of [
        ['https', 'rtmps'],
        ['media', 'api'],
        ['rtmp', 'https'],
      ] as const) {
        const one = start([
          '--data',
          dir,
          ...freeBut(first, second),
          ...secure,
          `--${first}-port`,
          port,
          `--${second}-port`,
          port,
        ])
        expect(await one.exited).toBe(1)
        expect(one.log().split('\n')).toContain(
          `port ${port} (--${second}-port) is taken by --${first}-port: ` +
            'name another port; one that is not named moves by itself',
        )
      }
    } finally {
      remove()
    }
  })

  it.skipIf(process.platform !== 'linux').each(['https', 'rtmps', 'media'])(
    'ends with a sentence where the port of --%s-port may not be opened',
    async (name) => {
      const { certificateFile, keyFile, write, remove } = certificateFiles()
      write(await selfSigned(['127.0.0.1']))
      const secure = name === 'media' ? [] : ['--tls-cert', certificateFile, '--tls-key', keyFile]
      // The system lets everybody have it from this port on.
      const open = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'))
      expect(open).toBeGreaterThan(443)
      const none = '-net_bind_service'
      const setpriv = `--inh-caps=${none} --bounding-set=${none} ${process.execPath}`
      const program = [join(import.meta.dirname, 'main.ts')]
      const args = ['--data', dir, ...freeBut(name), `--${name}-port`, '443', ...secure]
      const one =
        process.getuid?.() === 0
          ? startServiceProcess([...setpriv.split(' '), ...program, ...args], {}, [], 'setpriv')
          : startServiceProcess(args)
      running.push(one)
      expect(await one.exited, one.log()).toBe(1)
      expect(one.stdout()).toBe('')
      expect(one.log()).toMatch(
        new RegExp(`^port 443 \\(--${name}-port\\) may not be opened by this user: .*CAP_NET_BIND_SERVICE`, 'm'),
      )
      remove()
    },
  )

  it.each([
    ['absent', 'there is no file KEY'],
    ['foreign', 'KEY is not the key of the certificate'],
    ['no key', 'KEY is no private key in PEM'],
  ])('ends with a sentence where the key of its certificate is %s, whatever is to use it', async (how, said) => {
    const { certificateFile, keyFile, write, remove } = certificateFiles()
    const made = await selfSigned(['127.0.0.1'])
    write(made)
    if (how === 'absent') rmSync(keyFile)
    else writeFileSync(keyFile, how === 'no key' ? 'text' : (await selfSigned(['127.0.0.1'])).key)
    const secure = ['--tls-cert', certificateFile, '--tls-key', keyFile]
    try {
      for (const more of [['--https-port', '0'], ['--rtmps-port', '0'], ['--bind-api', '0.0.0.0'], []]) {
        const one = start(['--data', dir, ...free, ...secure, ...more])
        expect(await one.exited, more.join(' ')).toBe(1)
        expect(one.stdout()).toBe('')
        const sentence = `the certificate of --tls-cert and --tls-key cannot be used: ${said.replace('KEY', keyFile)}`
        // Said once, without a stack.
        expect(one.log().split('\n')).toContain(sentence)
        expect(one.log().split(said.replace('KEY', keyFile))).toHaveLength(2)
        expect(one.log()).not.toContain('stack')
      }
    } finally {
      remove()
    }
  })

  it('ends with a sentence where an address that it is to listen on is not of this computer', async () => {
    for (const name of ['media', 'rtmp']) {
      const one = start(['--data', dir, ...free, `--bind-${name}`, '198.51.100.7'])
      expect(await one.exited).toBe(1)
      expect(one.log().split('\n')).toContain(
        `198.51.100.7 (--bind-${name}) is not an address of this computer: name one of its own, or 0.0.0.0 for all`,
      )
    }
  })
})
