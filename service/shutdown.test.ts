import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'

const url = new URL('shutdown.ts', import.meta.url).href

/** Runs a program with a shutdown whose closing does `close`; gives its exit code and its lines. */
async function run(
  close: string,
  act: string,
  show = 'level + " " + sentence',
): Promise<{ readonly code: unknown; readonly lines: readonly string[] }> {
  const program = `
    import { createShutdown } from ${JSON.stringify(url)}
    const say = (level) => (fields, sentence) => console.log(${show})
    const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
    const flush = async () => console.log('flushed')
    const shutdown = createShutdown({ log, flush }, async () => { ${close} })
    setInterval(() => undefined, 1000)
    ${act}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { code, lines: out.trim().split('\n') }
}

describe('a shutdown', () => {
  it('closes once, however often it is asked for, writes its last lines and ends with code 0', async () => {
    expect(
      await run(
        "console.log('closed it')",
        "shutdown.leave('one'); shutdown.leave('other'); void shutdown.end('third')",
      ),
    ).toEqual({
      code: 0,
      lines: ['info closing', 'closed it', 'info closed', 'flushed', 'flushed'],
    })
  })

  it('that fails is logged, and ends with code 1 after its last lines', async () => {
    expect(await run("throw new Error('stuck')", "shutdown.leave('asked')")).toEqual({
      code: 1,
      lines: ['info closing', 'error closing failed', 'flushed'],
    })
  })

  it('that takes too long ends with code 1', async () => {
    expect(await run('await new Promise(() => undefined)', "shutdown.leave('asked')")).toEqual({
      code: 1,
      lines: ['info closing', 'error closing took too long'],
    })
  })

  it.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGINT'])('begins with %s', async (signal) => {
    expect(await run('', `process.kill(process.pid, '${signal}')`)).toEqual({
      code: 0,
      lines: ['info closing', 'info closed', 'flushed'],
    })
  })

  it('says why it closes, and what it was that failed', async () => {
    const show = 'level + " " + sentence + " " + (fields.why ?? "") + " " + (fields.err?.message ?? "")'
    expect(await run("throw new Error('stuck')", "shutdown.leave('asked'); shutdown.leave('again')", show)).toEqual({
      code: 1,
      lines: [
        'info closing asked ',
        'error closing failed asked stuck',
        'flushed',
        'error closing failed again stuck',
        'flushed',
      ],
    })
  })

  it('may take 4.5 seconds, of which nothing is left to wait for once it has closed', async () => {
    const act = `
      globalThis.setTimeout = (_call, ms) => (console.log('limit ' + ms), 'the timer')
      globalThis.clearTimeout = (timer) => console.log('no limit for ' + timer)
      shutdown.leave('asked')`
    expect(await run('', act)).toEqual({
      code: 0,
      lines: ['info closing', 'limit 4500', 'no limit for the timer', 'info closed', 'flushed'],
    })
  })

  it('that is waited for leaves the process to who asked for it', async () => {
    expect(await run('', "await shutdown.end('asked'); console.log('still here'); process.exit(7)")).toEqual({
      code: 7,
      lines: ['info closing', 'info closed', 'still here'],
    })
  })

  it('does not begin with a promise that failed or an exception that nobody caught', async () => {
    const act = `
      Promise.reject(new Error('one'))
      setImmediate(() => {
        setImmediate(() => shutdown.leave('asked'))
        throw new Error('two')
      })`
    expect(await run('', act)).toEqual({
      code: 0,
      lines: [
        'error a promise failed and nobody waited for it; going on',
        'error an exception was not caught; going on',
        'info closing',
        'info closed',
        'flushed',
      ],
    })
  })
})
