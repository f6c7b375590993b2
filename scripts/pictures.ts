import { globSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { faultOf, isPicture } from './pictures/decode.ts'

/** Part of `npm test`: fails when a picture of the repository, or of the built pages, cannot be decoded. */
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const files = globSync('{docs,resources,renderer,e2e,electron,browser,service,companion,out/renderer,out/watch}/**/*', {
  cwd: root,
}).filter(isPicture)
let faults = files.length > 0 ? 0 : 1
for (const file of files) {
  const fault = await faultOf(path.join(root, file))
  if (fault === undefined) continue
  faults++
  console.error(`${file} cannot be opened: ${fault}`)
}
process.exitCode = faults > 0 ? 1 : 0
