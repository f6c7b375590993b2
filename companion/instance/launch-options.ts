import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import {
  readRecordingSwitches,
  type RecordingChoices,
  type ServiceChoices,
  writeRecordingSwitches,
} from '../../contract/service-process.ts'
import { unkeepableName } from '../../platform/path-names.ts'

/** Choices made on the command line that the app has settings for too. */
export interface NamedChoices {
  readonly data: boolean
  readonly ports: readonly ('api' | 'media' | 'rtmp')[]
}

/** Options of `npm start`. Port 0: any free one. */
export interface LaunchOptions {
  readonly open: boolean
  readonly shell: 'browser' | 'electron' | undefined
  readonly dataDir: string
  /** Of the browser shell. */
  readonly port: number
  readonly apiPort: number
  readonly mediaPort: number
  readonly rtmpPort: number
  /** What was said on the command line, which wins over what is set in the app. */
  readonly named: NamedChoices
  /** Absent when nothing was said. */
  readonly recording?: RecordingChoices
}

/** The platform's usual data folder. */
export function defaultDataDir(
  platform: NodeJS.Platform,
  environment: { readonly [name: string]: string | undefined },
  home: string,
): string {
  if (platform === 'win32')
    return path.join(environment['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local'), 'Sidestage')
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Sidestage')
  const data = environment['XDG_DATA_HOME']
  return path.join(data && path.isAbsolute(data) ? data : path.join(home, '.local', 'share'), 'sidestage')
}

function port(text: string | undefined, name: string, usual: number): number {
  if (text === undefined) return usual
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error(`--${name} must be a port from 0 to 65535`)
  return Number(text)
}

/** Reads the command line. Throws with a sentence for a person. */
export function readLaunchOptions(
  argv: readonly string[],
  ports: {
    platform: NodeJS.Platform
    environment: { readonly [name: string]: string | undefined }
    home: string
    cwd: string
  } = {
    platform: process.platform,
    environment: process.env,
    home: os.homedir(),
    cwd: process.env['INIT_CWD'] ?? process.cwd(),
  },
): LaunchOptions {
  const { values } = parseArgs({
    args: [...argv],
    strict: true,
    allowPositionals: false,
    options: {
      'no-open': { type: 'boolean' },
      shell: { type: 'string' },
      data: { type: 'string' },
      port: { type: 'string' },
      'api-port': { type: 'string' },
      'media-port': { type: 'string' },
      'rtmp-port': { type: 'string' },
      'recording-minute': { type: 'string' },
      'recording-reserve': { type: 'string' },
    },
  })
  const { shell } = values
  const recording = readRecordingSwitches(values, (sentence) => new Error(sentence))
  const bad = values.data === undefined ? undefined : unkeepableName(values.data, ports.platform)
  if (bad !== undefined) throw new Error(`--data: Windows cannot keep the name "${bad}"; choose another folder`)
  if (shell !== undefined && shell !== 'browser' && shell !== 'electron')
    throw new Error('--shell is browser or electron')
  return {
    open: values['no-open'] !== true,
    shell,
    dataDir:
      values.data === undefined
        ? defaultDataDir(ports.platform, ports.environment, ports.home)
        : path.resolve(ports.cwd, values.data),
    port: port(values.port, 'port', 0),
    apiPort: port(values['api-port'], 'api-port', 8710),
    mediaPort: port(values['media-port'], 'media-port', 8711),
    rtmpPort: port(values['rtmp-port'], 'rtmp-port', 1935),
    named: {
      data: values.data !== undefined,
      ports: (['api', 'media', 'rtmp'] as const).filter((listener) => values[`${listener}-port`] !== undefined),
    },
    ...(recording && { recording }),
  }
}

/** Start options of the embedded service: below the app's folder, on loopback. */
export function serviceChoices({ dataDir, apiPort, mediaPort, rtmpPort, recording }: LaunchOptions): ServiceChoices {
  const local = (port: number): { host: string; port: number } => ({ host: '127.0.0.1', port })
  return {
    dataDir: path.join(dataDir, 'service'),
    api: local(apiPort),
    media: local(mediaPort),
    rtmp: local(rtmpPort),
    ...(recording && { recording }),
  }
}

/** Switches for the desktop process: only those that were given. */
export const desktopArguments = ({
  dataDir,
  apiPort,
  mediaPort,
  rtmpPort,
  named,
  recording,
}: LaunchOptions): string[] => {
  const ports = { api: apiPort, media: mediaPort, rtmp: rtmpPort }
  return [
    ...(named.data ? ['--data', dataDir] : []),
    ...named.ports.flatMap((listener) => [`--${listener}-port`, String(ports[listener])]),
    ...writeRecordingSwitches(recording),
  ]
}
