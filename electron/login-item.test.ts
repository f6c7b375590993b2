import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { scratch } from '../companion/testing/rig.ts'
import { autostartEntry, type LoginItemPorts, setLoginItem } from './login-item.ts'

const ports = (folder: string, more: Partial<LoginItemPorts> = {}): LoginItemPorts => ({
  app: { setLoginItemSettings: () => undefined, getLoginItemSettings: () => ({ openAtLogin: false }) as never },
  platform: 'linux',
  program: '/opt/My Apps/Sidestage.AppImage',
  args: ['--data', '/home/ana/100%'],
  autostart: path.join(folder, 'config', 'autostart'),
  log: () => undefined,
  ...more,
})

it('is an autostart entry on Linux, which opens no window and goes away again', () => {
  using folder = scratch()
  const file = path.join(folder.dir, 'config', 'autostart', 'sidestage.desktop')
  expect(setLoginItem(true, ports(folder.dir))).toBe('on')
  expect(readFileSync(file, 'utf8').split('\n')).toContain(
    'Exec="/opt/My Apps/Sidestage.AppImage" "--data" "/home/ana/100%%" "--hidden"',
  )
  expect(setLoginItem(true, ports(folder.dir))).toBe('on')
  expect(setLoginItem(false, ports(folder.dir))).toBe('off')
  expect(() => readFileSync(file)).toThrow('ENOENT')
  expect(setLoginItem(false, ports(folder.dir))).toBe('off')
})

it('cannot be made to start anything else by the name of a folder', () => {
  expect(autostartEntry('/opt/a"; rm -rf $HOME `x` \\', [])).toContain(
    'Exec="/opt/a\\\\"; rm -rf \\\\$HOME \\\\`x\\\\` \\\\\\\\"\n',
  )
  expect(autostartEntry('/opt/a\nExec=evil', [])).toBeUndefined()
  using folder = scratch()
  expect(setLoginItem(true, ports(folder.dir, { program: '/opt/a\nHidden=true' }))).toBe('failed')
})

it('says that the system did not take it', () => {
  using folder = scratch()
  mkdirSync(path.join(folder.dir, 'config'), { recursive: true })
  writeFileSync(path.join(folder.dir, 'config', 'autostart'), 'no folder')
  expect(setLoginItem(true, ports(folder.dir))).toBe('failed')
  expect(setLoginItem(true, ports(folder.dir, { platform: 'darwin' }))).toBe('failed')
})

it('is the system’s own on Windows and macOS', () => {
  const set: object[] = []
  let openAtLogin = false
  const app = {
    setLoginItemSettings: (item: { openAtLogin?: boolean }) => {
      set.push(item)
      openAtLogin = item.openAtLogin === true
    },
    getLoginItemSettings: () => ({ openAtLogin }) as never,
  }
  const on = { app, program: 'C:\\S\\Sidestage.exe', args: ['--data', 'D:\\My data'] }
  expect(setLoginItem(true, ports('', { ...on, platform: 'win32' }))).toBe('on')
  expect(setLoginItem(true, ports('', { ...on, platform: 'darwin' }))).toBe('on')
  expect(setLoginItem(false, ports('', { ...on, platform: 'win32' }))).toBe('off')
  expect(set[0]).toEqual({
    openAtLogin: true,
    path: 'C:\\S\\Sidestage.exe',
    args: ['--data', '"D:\\My data"', '--hidden'],
  })
  expect(set[1]).toEqual({ openAtLogin: true })
})
