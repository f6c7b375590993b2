import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultDataDir, desktopArguments, readLaunchOptions, serviceChoices } from './launch-options.ts'

const read = (...argv: string[]) =>
  readLaunchOptions(argv, { platform: 'linux', environment: {}, home: '/home/me', cwd: '/work' })

describe('the command line', () => {
  it('may be empty: the usual ports and folder, and the browser is opened', () => {
    expect(read()).toEqual({
      open: true,
      shell: undefined,
      dataDir: '/home/me/.local/share/sidestage',
      port: 0,
      apiPort: 8710,
      mediaPort: 8711,
      rtmpPort: 1935,
      named: { data: false, ports: [] },
    })
  })

  it('names folder, ports and shell, and what was named is known', () => {
    const ports = ['--port=1', '--api-port=2', '--media-port=3', '--rtmp-port=65535']
    expect(read('--no-open', '--shell', 'electron', '--data', 'here', ...ports)).toEqual({
      open: false,
      shell: 'electron',
      dataDir: path.resolve('/work', 'here'),
      port: 1,
      apiPort: 2,
      mediaPort: 3,
      rtmpPort: 65_535,
      named: { data: true, ports: ['api', 'media', 'rtmp'] },
    })
    expect(read('--media-port=3').named).toEqual({ data: false, ports: ['media'] })
  })

  it.each([
    ['--api-port=65536'],
    ['--api-port=-1'],
    ['--rtmp-port=x'],
    ['--port='],
    ['--shell=window'],
    ['--unknown'],
    ['word'],
    ['--recording-minute=100'],
    ['--recording-reserve=x'],
  ])('is refused with %s', (argument) => {
    expect(() => read(argument)).toThrow()
  })

  it('is refused with a folder that Windows cannot keep, on Windows only', () => {
    const on = (platform: NodeJS.Platform) => () =>
      readLaunchOptions(['--data', 'CON'], { platform, environment: {}, home: '/h', cwd: '/c' })
    expect(on('win32')).toThrow('CON')
    expect(on('linux')).not.toThrow()
  })
})

it('the usual data folder is that of the system', () => {
  expect(defaultDataDir('linux', { XDG_DATA_HOME: '/d' }, '/h')).toBe('/d/sidestage')
  expect(defaultDataDir('linux', { XDG_DATA_HOME: 'relative' }, '/h')).toBe('/h/.local/share/sidestage')
  expect(defaultDataDir('darwin', {}, '/h')).toBe('/h/Library/Application Support/Sidestage')
  expect(defaultDataDir('win32', { LOCALAPPDATA: '/l' }, '/h')).toBe(path.join('/l', 'Sidestage'))
  expect(defaultDataDir('win32', {}, '/h')).toBe(path.join('/h', 'AppData', 'Local', 'Sidestage'))
})

it('the service listens on this computer only, in a folder of its own', () => {
  const local = (port: number) => ({ host: '127.0.0.1', port })
  expect(serviceChoices(read('--data=/d', '--api-port=2', '--media-port=3', '--rtmp-port=4'))).toEqual({
    dataDir: '/d/service',
    api: local(2),
    media: local(3),
    rtmp: local(4),
  })
  expect(serviceChoices(read('--recording-minute=200'))).toMatchObject({ recording: { minute: 200 } })
})

it('the desktop process gets what was named, and nothing else', () => {
  expect(desktopArguments(read())).toEqual([])
  expect(desktopArguments(read('--data=/d', '--rtmp-port=4', '--recording-reserve=5'))).toEqual([
    '--data',
    '/d',
    '--rtmp-port',
    '4',
    '--recording-reserve',
    '5',
  ])
})
