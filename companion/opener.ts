import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** The command that opens a URL; the URL is one argument, never shell text. */
function openCommand(url: string, platform: NodeJS.Platform): { command: string; args: string[] } {
  if (platform === 'win32') return { command: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', url] }
  return { command: platform === 'darwin' ? 'open' : 'xdg-open', args: [url] }
}

/** An opener running this long, in ms, has found a browser. */
const openerPatience = 3_000

/** Opens a URL in the system's browser; rejects when there is none. */
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
      // Windows exits with other codes.
      if (code === 0 || process.platform === 'win32') resolve()
      else reject(new Error(`${command} found no browser (code ${String(code)})`))
    })
  })

/** Time for the browser to read the file, in ms. */
const filePatience = 60_000

/** Opens a one-time URL. Other users of macOS see arguments, so the browser gets a private file there. */
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
