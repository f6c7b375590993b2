import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'
import type { MediaPacket } from '../service/timeline/packet.ts'
import { diskFiles } from '../service/recording/file-system.ts'
import { createRig, rigCid } from '../service/recording/testing/rig.ts'
import { printTable } from './measurement.ts'

/**
 * Recording as fast as it goes: 3 h of 6 Mbit/s (30 frames a second and sound, slices of 5 min, so that files are finished before both readings)
 * through hub, recorder and disk, for both formats, each in a process of its own. Prints MB/s and memory; memory after 3 h of media may be 15 MB
 * above memory after 10 min. Fed hundreds of times faster than life, garbage is made as much faster: memory is read after a collection, and V8's
 * young generation, which would take whatever it may, is kept small. `node bench/record.ts [--hours 3] [--slice MINUTES]`
 */
const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '3' },
    format: { type: 'string' },
    slice: { type: 'string', default: '5' },
  },
})
const hours = Number(values.hours)
const reach = 15
const frameMs = 1000 / 30
const soundMs = 1024 / 48
/** Bytes handed in but not yet written; more would measure memory that no live push takes. */
const ahead = 4 * 1024 * 1024

/** Feeds one format and prints one line of figures. */
async function record(format: 'mp4' | 'flv'): Promise<void> {
  let written = 0
  const rig = await createRig({
    minute: 1,
    files: {
      ...diskFiles,
      async create(folder, path) {
        const file = await diskFiles.create(folder, path)
        return {
          ...file,
          async writev(parts, at) {
            const done = await file.writev(parts, at)
            written += done
            return done
          },
        }
      },
    },
  })
  rig.choice = { format: format === 'flv' ? 1 : 0, duration: Number(values.slice) * 60_000, filename: 'bench' }
  // Bodies are shared, so that what is measured is the recorder's memory and not the feeder's.
  const body = (length: number, head: string): Buffer => {
    const bytes = Buffer.alloc(length, 0x5a)
    bytes.write(head, 'hex')
    return bytes
  }
  const key = body(80_000, '1701000000')
  const frame = body(22_500, '2701000000')
  const sound = body(341, 'af01')
  const packet = (
    kind: 'video' | 'audio',
    timestamp: number,
    bytes: Buffer,
    keyFrame = false,
    configuration = false,
  ): MediaPacket => ({
    kind,
    timestamp,
    body: bytes,
    keyFrame,
    configuration,
    arrived: rig.now + timestamp,
  })
  const publication = rig.publish(rigCid)
  publication.packet(
    packet(
      'video',
      0,
      Buffer.from(
        '17000000000164001fffe1001a6764001facd9405005bb0110000003001000000303c0f183196001000468ef8fcbfdf8f800',
        'hex',
      ),
      false,
      true,
    ),
  )
  publication.packet(packet('audio', 0, Buffer.from('af001190', 'hex'), false, true))
  const rss = (): number => process.memoryUsage().rss / 1e6
  /** Memory that is in use, not garbage, with every slice but the present one finished: twice, for the first collection only lets go of what the second gives back. */
  const settled = async (): Promise<number> => {
    while ((await rig.rows()).filter(({ state }) => state !== 'ready').length > 1)
      await new Promise((resolve) => setTimeout(resolve, 20))
    for (let count = 0; count < 2; count++) globalThis.gc?.()
    return rss()
  }
  const begun = performance.now()
  let handed = 0
  let frames = 0
  let sounds = 0
  let early = 0
  let most = 0
  const end = hours * 3600_000
  for (let time = 0; time < end;) {
    if (sounds * soundMs < frames * frameMs) {
      time = sounds++ * soundMs
      publication.packet(packet('audio', Math.round(time), sound))
      handed += sound.length
    } else {
      time = frames * frameMs
      const bytes = frames % 60 === 0 ? key : frame
      publication.packet(packet('video', Math.round(time), bytes, frames % 60 === 0))
      frames++
      handed += bytes.length
    }
    if (frames % 60 === 1) {
      while (handed - written > ahead) await new Promise((resolve) => setImmediate(resolve))
      most = Math.max(most, rss())
      if (early === 0 && time >= 600_000) early = await settled()
    }
  }
  const late = await settled()
  publication.end('closed')
  while ((await rig.rows()).some(({ state }) => state !== 'ready'))
    await new Promise((resolve) => setTimeout(resolve, 50))
  const seconds = (performance.now() - begun) / 1000
  const rows = await rig.rows()
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
  const expected = Math.round((end / 3600_000) * 3600)
  const media = Math.round(rows.reduce((sum, row) => sum + row.duration, 0) / 1000)
  await rig.close()
  console.log(
    JSON.stringify({
      format,
      files: rows.length,
      media,
      complete: Math.abs(media - expected) <= 1,
      megabytes: bytes / 1e6,
      seconds,
      rate: bytes / 1e6 / seconds,
      early,
      late,
      most,
    }),
  )
}

interface Figures {
  readonly format: string
  readonly files: number
  readonly complete: boolean
  readonly megabytes: number
  readonly seconds: number
  readonly rate: number
  readonly early: number
  readonly late: number
  readonly most: number
}

if (values.format === 'mp4' || values.format === 'flv') await record(values.format)
else {
  const figures: Figures[] = []
  for (const format of ['mp4', 'flv'])
    figures.push(
      await new Promise<Figures>((resolve, reject) => {
        const child = spawn(
          process.execPath,
          [
            '--expose-gc',
            '--max-semi-space-size=1',
            new URL(import.meta.url).pathname,
            '--format',
            format,
            '--hours',
            String(hours),
            '--slice',
            values.slice,
          ],
          {
            stdio: ['ignore', 'pipe', 'inherit'],
          },
        )
        let text = ''
        child.stdout.on('data', (part: Buffer) => (text += part.toString()))
        child.on('exit', (code) =>
          code === 0 ? resolve(JSON.parse(text) as Figures) : reject(new Error(`the run of ${format} failed`)),
        )
      }),
    )
  printTable(
    figures.map(({ format, files, megabytes, seconds, rate, early, late, most }) => ({
      format,
      files,
      MB: Math.round(megabytes),
      s: seconds.toFixed(1),
      'MB/s': Math.round(rate),
      'RSS 10 min': Math.round(early),
      'RSS end': Math.round(late),
      'RSS most': Math.round(most),
      'reach +MB': reach,
    })),
  )
  console.log(
    JSON.stringify({
      bench: 'record',
      hours,
      result: figures.map((one) => ({
        ...one,
        growth: one.late - one.early,
        reach,
        reached: one.complete && one.late - one.early <= reach,
      })),
    }),
  )
  process.exitCode = figures.every(({ complete, early, late }) => complete && late - early <= reach) ? 0 : 1
}
