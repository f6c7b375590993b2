import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { stage } from './packaging/staging.ts'

/** Offers a release to a share of the installations: `node scripts/stage-release.ts FOLDER PERCENT` changes its latest*.yml. */
const [folder = '', percent = ''] = process.argv.slice(2)
const feeds = readdirSync(folder).filter((name) => /^latest[a-z0-9-]*\.yml$/.test(name))
for (const feed of feeds) {
  const file = path.join(folder, feed)
  writeFileSync(file, stage(readFileSync(file, 'utf8'), Number(percent)))
}
process.stdout.write(`${feeds.length} feeds offer this release to ${percent} %\n`)
