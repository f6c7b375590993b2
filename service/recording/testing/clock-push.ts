import { spawn } from 'node:child_process'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { burntClock } from '../../testing/burnt-clock.ts'

/** Encoding of a push with a burnt-in clock. */
export interface ClockPushOptions {
  readonly gopSeconds: number
  readonly bFrames?: number
  /** Frames of lookahead, as in OBS; delays the output. */
  readonly lookahead?: number
}

/** An ffmpeg whose pictures show their capture time. */
export interface ClockPush {
  /** Time in ms at which the burnt-in clock reads 0. */
  readonly origin: number
  /** Stops it in order; resolves when it has exited. */
  stop(): Promise<void>
  log(): string
}

/** Pushes 640x360 at 15 fps with audio, encoded live. */
export function startClockPush(
  pushUrl: string,
  { gopSeconds, bFrames = 0, lookahead = 0 }: ClockPushOptions,
): ClockPush {
  const rate = 15
  const origin = Date.now()
  const { video, audio } = burntClock(origin)
  // No argument contains a space.
  const words = [
    '-hide_banner -loglevel warning',
    `-re -f lavfi -i testsrc2=size=640x360:rate=${rate} -re -f lavfi -i sine=frequency=440:sample_rate=44100`,
    `-filter_complex [0:v]${video}[v];[1:a]${audio}[a] -map [v] -map [a] -fps_mode passthrough`,
    `-c:v libx264 -preset ultrafast -pix_fmt yuv420p -threads 1 -b:v 600k -g ${gopSeconds * rate} -bf ${bFrames}`,
    `-x264-params rc-lookahead=${lookahead}:sync-lookahead=0:scenecut=0`,
    `-c:a aac -b:a 64k -f flv -flvflags no_duration_filesize ${pushUrl}`,
  ]
  const child = spawn('ffmpeg', words.join(' ').split(' '), { stdio: ['pipe', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.on('data', (text: Buffer) => {
    log = (log + text.toString()).slice(-20_000)
  })
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  child.stdin.on('error', () => undefined)
  return {
    origin,
    log: () => log,
    async stop() {
      child.stdin.end('q')
      const hard = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await exited
      clearTimeout(hard)
    },
  }
}

/** A proxy that can delay bytes, as a bad network does. */
export interface SlowWay {
  readonly port: number
  /** Holds bytes towards the port, or releases them. */
  hold(on: boolean): void
  close(): Promise<void>
}

/** Opens a proxy to a local port. */
export async function slowWay(target: number): Promise<SlowWay> {
  const sockets = new Set<Socket>()
  const coming = new Set<Socket>()
  const server = createServer((from) => {
    const to = connect(target, '127.0.0.1')
    coming.add(from)
    for (const socket of [from, to]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        coming.delete(from)
        from.destroy()
        to.destroy()
      })
    }
    from.on('data', (bytes) => to.write(bytes))
    from.on('end', () => to.end())
    to.pipe(from)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    hold(on) {
      for (const socket of coming)
        if (on) socket.pause()
        else socket.resume()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
