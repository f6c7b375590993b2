import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { obsPackages } from '../../scripts/debian-packages.ts'

/** What of a real OBS is missing on this machine, as packages; empty when it can run. */
export const missingForObs = (): string[] => obsPackages.filter(([file]) => !existsSync(file)).map(([, name]) => name)

/** A port of this computer that was free a moment ago: OBS takes no port 0. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A real OBS with a profile of its own and its WebSocket server on. */
export interface ObsProgram {
  start(): void
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>
  /** Ends it and its display. */
  end(): Promise<void>
}

const gone = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()))

/** Writes the profile below `home` and starts a display without a screen; OBS itself does not run yet. */
export async function prepareObs({
  home,
  port,
  password,
}: {
  home: string
  port: number
  password: string
}): Promise<ObsProgram> {
  const runtime = join(home, 'run')
  const config = join(home, '.config', 'obs-studio')
  const profile = join(config, 'basic', 'profiles', 'Untitled')
  mkdirSync(profile, { recursive: true })
  mkdirSync(runtime, { mode: 0o700 })
  writeFileSync(
    join(config, 'global.ini'),
    `[General]\nFirstRun=true\nLastVersion=486539266\n[Basic]\nProfile=Untitled\nProfileDir=Untitled\nSceneCollection=Untitled\nSceneCollectionFile=Untitled\n[OBSWebSocket]\nFirstLoad=false\nServerEnabled=true\nServerPort=${port}\nAuthRequired=true\nServerPassword=${password}\n`,
  )
  writeFileSync(
    join(profile, 'basic.ini'),
    '[General]\nName=Untitled\n[Video]\nBaseCX=640\nBaseCY=360\nOutputCX=640\nOutputCY=360\nFPSCommon=30\n[Output]\nMode=Simple\n[SimpleOutput]\nStreamEncoder=x264\nPreset=ultrafast\nVBitrate=1000\nABitrate=96\n',
  )
  const screen = spawn(
    'Xvfb',
    ['-displayfd', '1', '-screen', '0', '1280x800x24', '+extension', 'GLX', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const display = await new Promise<string>((resolve, reject) => {
    createInterface({ input: screen.stdout }).once('line', (line) => resolve(`:${line.trim()}`))
    screen.once('exit', (code) => reject(new Error(`Xvfb ended with ${code}`)))
    screen.once('error', reject)
  })
  let program: ChildProcess | undefined
  const kill = async (): Promise<void> => {
    if (!program) return
    program.kill('SIGKILL')
    await gone(program)
    program = undefined
  }
  return {
    start: () => {
      program = spawn('obs', ['--multi', '--minimize-to-tray'], {
        stdio: 'ignore',
        env: {
          ...process.env,
          DISPLAY: display,
          HOME: home,
          XDG_CONFIG_HOME: join(home, '.config'),
          XDG_RUNTIME_DIR: runtime,
          LIBGL_ALWAYS_SOFTWARE: '1',
        },
      })
    },
    kill,
    end: async () => {
      await kill()
      screen.kill('SIGTERM')
      await gone(screen)
    },
  }
}
