import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** The command that opens an address in the system's browser; the address is always one argument, never part of a command line. */
export function openCommand(url: string, platform: NodeJS.Platform): { command: string; args: string[] } {
  if (platform === 'win32') return { command: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', url] }
  return { command: platform === 'darwin' ? 'open' : 'xdg-open', args: [url] }
}

/** An opener that runs this long has found a browser, which some of them wait for; ms. */
const openerPatience = 3_000

/** Opens an http or https address in the system's browser. Rejects when there is nothing to open it with. */
export const openInBrowser = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const { command, args } = openCommand(url, process.platform)
    const child = spawn(command, args, { stdio: 'ignore', detached: true })
    child.unref()
    const timer = setTimeout(resolve, openerPatience)
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.once('exit', (code) => {
      clearTimeout(timer)
      // The opener of Windows ends with codes of its own.
      if (code === 0 || process.platform === 'win32') resolve()
      else reject(new Error(`${command} found no browser (code ${String(code)})`))
    })
  })

/** For how long a browser may take to read the file that leads to an address, in ms. */
const filePatience = 60_000

/**
 * Opens an address that lets whoever has it in, once. Other users of a computer with macOS see what a program is started with, so the browser is given a
 * file there that only this user can read. Windows shows it to this user only, and the page refuses other users of Linux. Rejects as `openInBrowser` does.
 */
export async function openEntrance(url: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  if (platform !== 'darwin') return openInBrowser(url)
  const folder = await mkdtemp(path.join(tmpdir(), 'sidestage-'))
  const file = path.join(folder, 'open.html')
  await writeFile(
    file,
    `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><title>Sidestage</title>\n`,
    { mode: 0o600 },
  )
  setTimeout(() => {
    rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }, filePatience).unref()
  await openInBrowser(pathToFileURL(file).href)
}
