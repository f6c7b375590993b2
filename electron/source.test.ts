import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

/** What the source of the shell may not have, whatever a test of behaviour reaches. */
const sources = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => [name, readFileSync(path.join(import.meta.dirname, name), 'utf8')] as const)
/** Names of the files in which something stands. */
const where = (what: RegExp): string[] => sources.filter(([, text]) => what.test(text)).map(([name]) => name)

it('opens no file by the program of its kind, and hands nothing to the system but checked addresses and folders', () => {
  expect(where(/openPath|\bshell\.(?!openExternal|showItemInFolder)\w+/)).toEqual([])
  expect(where(/\bshell\./)).toEqual(['desktop.ts'])
})

it('makes windows in two places, each with the stated guards', () => {
  const makers = where(/new (BrowserWindow|WebContentsView|BrowserView|BaseWindow)\(/)
  expect(makers.sort()).toEqual(['pop-outs.ts', 'windows.ts'])
  for (const [name, text] of sources) {
    const made = text.match(/new BrowserWindow\(/g)?.length ?? 0
    expect(text.match(/webPreferences: \{ \.\.\.guardedPreferences, preload/g)?.length ?? 0, name).toBe(made)
  }
  expect(
    where(
      /nodeIntegration\w*: true|contextIsolation: false|sandbox: false|webSecurity: false|webviewTag: true|<webview/,
    ),
  ).toEqual([])
})

it('runs no text as code, no Node of its own binary, and no shell', () => {
  expect(where(/executeJavaScript|insertCSS|\beval\(|new Function|remote\b.*require/)).toEqual([])
  expect(where(/ELECTRON_RUN_AS_NODE|\bfork\(/).filter((name) => name !== 'service-launcher.ts')).toEqual([])
  // Windows is asked about signatures by a program with fixed arguments.
  expect(where(/child_process/)).toEqual(['authenticode.ts'])
  expect(where(/shell: true|(?<!\.)\bexec\(|execSync/)).toEqual([])
})

it('weakens nothing of the browser: no switch, no certificate taken, no policy removed', () => {
  expect(
    where(
      /commandLine\.append|certificate-error|setCertificateVerifyProc|onHeadersReceived|bypassCSP: true|disable-web-security|allowpopups/,
    ),
  ).toEqual([])
  expect(where(/registerFileProtocol|registerHttpProtocol|interceptFileProtocol|loadFile\(/)).toEqual([])
})
