import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

/** A file of the built page. */
export interface PageFile {
  readonly type: string
  readonly bytes: Buffer
}

/** The built watch page. */
export interface PageFiles {
  readonly index: PageFile
  /** The page of a visit from outside. */
  readonly check?: PageFile
  /** Assets by name, which changes with their content. */
  readonly assets: ReadonlyMap<string, PageFile>
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Reads the built page into memory, so that no path can escape its folder; undefined when there is none. */
export async function readPageFiles(folder: string): Promise<PageFiles | undefined> {
  const read = async (file: string): Promise<PageFile | undefined> => {
    const type = types[path.extname(file)]
    const bytes = type === undefined ? undefined : await readFile(path.join(folder, file)).catch(() => undefined)
    return type === undefined || bytes === undefined ? undefined : { type, bytes }
  }
  const index = await read('index.html')
  if (!index) return undefined
  const assets = new Map<string, PageFile>()
  for (const name of await readdir(path.join(folder, 'assets')).catch(() => [])) {
    const file = await read(path.join('assets', name))
    if (file) assets.set(name, file)
  }
  const check = await read('check.html')
  return { index, ...(check && { check }), assets }
}
