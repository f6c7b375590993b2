import { execFile, spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Browser } from 'playwright'

/** What stands in the picture that is pushed. */
export interface SceneTexts {
  readonly title: string
  readonly line: string
}

/** A push that goes on until it is ended. */
export interface Push {
  /** Ends it as a person does. */
  readonly stop: () => Promise<void>
}

const size = { width: 1280, height: 720 } as const
const run = promisify(execFile)

/** Numbers between 0 and 1 that are the same in every run. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

const rect = (x: number, y: number, width: number, height: number, fill: string, more = ''): string =>
  `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" fill="${fill}" ${more}/>`

/** Houses with lit windows along the horizon. */
function skyline(seed: number, base: number, tallest: number, wall: string, lit: number): string {
  const throwDice = dice(seed)
  const parts: string[] = []
  for (let x = -10; x < size.width;) {
    const width = 44 + throwDice() * 70
    const height = tallest * (0.35 + 0.65 * throwDice())
    parts.push(rect(x, base - height, width, height, wall))
    for (let wx = x + 8; wx < x + width - 10; wx += 13)
      for (let wy = base - height + 10; wy < base - 8; wy += 17)
        if (throwDice() < lit)
          parts.push(
            rect(
              wx,
              wy,
              6,
              9,
              throwDice() < 0.7 ? '#ffd28a' : '#8fc4ff',
              `opacity="${(0.35 + 0.6 * throwDice()).toFixed(2)}"`,
            ),
          )
    x += width + 2 + throwDice() * 8
  }
  return parts.join('')
}

/** A late show at a window above a city, drawn for this. */
function drawing({ title, line }: SceneTexts): string {
  const throwDice = dice(7)
  const stars = Array.from({ length: 90 }, () => {
    const [x, y, r] = [throwDice() * size.width, throwDice() * 300, 0.5 + throwDice() * 1.1]
    return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${r.toFixed(2)}" fill="#dfe9ff" opacity="${(0.25 + throwDice() * 0.6).toFixed(2)}"/>`
  }).join('')
  const faders = Array.from({ length: 12 }, (_, index) => {
    const x = 842 + index * 31
    const y = 604 + throwDice() * 46
    return `${rect(x, 596, 4, 76, '#0c1018', 'rx="2"')}${rect(x - 7, y, 18, 10, '#c9d4e4', 'rx="2"')}<circle cx="${x + 2}" cy="584" r="3.4" fill="${index % 4 === 1 ? '#ff6a5e' : index % 3 === 0 ? '#57d3a0' : '#ffc062'}"/>`
  }).join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}">
<defs>
<linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#0b1030"/><stop offset=".55" stop-color="#2b2a63"/><stop offset=".82" stop-color="#8a4a78"/><stop offset="1" stop-color="#f0935c"/></linearGradient>
<radialGradient id="moon"><stop offset="0" stop-color="#fff6df"/><stop offset=".32" stop-color="#fff0cc"/><stop offset=".34" stop-color="#ffe9b8" stop-opacity=".34"/><stop offset="1" stop-color="#ffe9b8" stop-opacity="0"/></radialGradient>
<radialGradient id="lamp"><stop offset="0" stop-color="#ffd9a0" stop-opacity=".85"/><stop offset="1" stop-color="#ff9c4a" stop-opacity="0"/></radialGradient>
<linearGradient id="desk" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#3a2634"/><stop offset="1" stop-color="#150f1b"/></linearGradient>
<linearGradient id="metal" x1="0" y1="0" x2="1" y2="0"><stop offset="0" stop-color="#2a3140"/><stop offset=".5" stop-color="#aab6c8"/><stop offset="1" stop-color="#242a38"/></linearGradient>
<pattern id="mesh" width="7" height="7" patternUnits="userSpaceOnUse"><path d="M0 0L7 7M7 0L0 7" stroke="#0d121c" stroke-width="1.3"/></pattern>
</defs>
${rect(0, 0, size.width, size.height, 'url(#sky)')}${stars}<circle cx="1010" cy="148" r="150" fill="url(#moon)"/>
<g opacity=".55">${skyline(3, 520, 200, '#3a2f63', 0.12)}</g>${skyline(11, 548, 230, '#16152f', 0.34)}
<g fill="#0a0d18"><rect x="0" y="0" width="1280" height="18"/><rect x="0" y="0" width="18" height="560"/><rect x="1262" y="0" width="18" height="560"/><rect x="634" y="0" width="11" height="548"/></g>
${rect(0, 540, size.width, 180, 'url(#desk)')}${rect(0, 540, size.width, 3, '#6d4a55')}
<circle cx="150" cy="430" r="330" fill="url(#lamp)"/>
<path d="M112 410h92l-18-58h-56z" fill="#f6c27a"/><path d="M158 410v132" stroke="#20141b" stroke-width="7"/><ellipse cx="158" cy="544" rx="54" ry="9" fill="#20141b"/>
${rect(816, 566, 400, 124, '#1b2230', 'rx="12"')}${rect(816, 566, 400, 6, '#3a465c', 'rx="3"')}${faders}
<g transform="translate(560 250)"><path d="M420 330L250 60L74 96" fill="none" stroke="#1a2030" stroke-width="13" stroke-linejoin="round"/><path d="M420 330L250 60L74 96" fill="none" stroke="#566179" stroke-width="4" stroke-linejoin="round"/><circle cx="250" cy="60" r="12" fill="#39435a"/>
<g transform="rotate(-14 30 110)"><rect x="-16" y="36" width="92" height="150" rx="44" fill="url(#metal)"/><rect x="-16" y="36" width="92" height="92" rx="44" fill="url(#mesh)"/><rect x="-20" y="124" width="100" height="12" rx="6" fill="#10151f"/><rect x="14" y="182" width="32" height="34" rx="8" fill="#1b2230"/></g></g>
<path d="M352 496q-12-16 0-32t0-34M384 500q-12-16 0-32t0-34" fill="none" stroke="#f2e6e0" stroke-width="4" stroke-linecap="round" opacity=".32"/><path d="M330 540h112l-9 78q-2 14-16 14h-62q-14 0-16-14z" fill="#c4d0df"/><ellipse cx="386" cy="540" rx="56" ry="10" fill="#e7edf5"/><ellipse cx="386" cy="541" rx="47" ry="7" fill="#4a2f28"/><path d="M440 558q38 0 34 28t-42 22" fill="none" stroke="#c4d0df" stroke-width="10"/>
<g font-family="'IBM Plex Sans Variable','IBM Plex Sans','Noto Sans CJK SC','Noto Sans',sans-serif"><text x="62" y="196" font-size="62" font-weight="700" fill="#fff6e8">${title}</text><text x="64" y="240" font-size="25" fill="#f3d6c3">${line}</text></g>
</svg>`
}

/** Draws the scene and encodes twelve seconds of it as an encoder would send them: 1280x720 at 30 fps, a key frame every 2 s. Answers the file. */
export async function makeShow(browser: Browser, folder: string, texts: SceneTexts): Promise<string> {
  const page = await browser.newPage({ viewport: size, deviceScaleFactor: 1 })
  await page.setContent(`<style>body{margin:0}svg{display:block}</style>${drawing(texts)}`)
  const still = path.join(folder, 'still.png')
  await page.screenshot({ path: still })
  await page.close()
  const show = path.join(folder, 'show.flv')
  const tones =
    '0.16*(sin(2*PI*220*t)*(0.6+0.4*sin(2*PI*1.5*t))+0.7*sin(2*PI*330*t)*(0.5+0.5*sin(2*PI*0.5*t))+0.5*sin(2*PI*495*t)*(0.5+0.5*sin(2*PI*2*t)))'
  const waves = 'showwaves=size=440x72:mode=cline:rate=30:scale=sqrt:colors=0xFFE3B8'
  const filters = `[1:a]asplit[heard][drawn];[drawn]${waves},format=rgba,colorchannelmixer=aa=0.75[w];[0:v][w]overlay=64:268,noise=alls=3:allf=t,format=yuv420p[v]`
  const coded =
    '-c:v libx264 -preset veryfast -b:v 2500k -minrate 2500k -maxrate 2500k -bufsize 2500k -x264-params nal-hrd=cbr -g 60 -keyint_min 60 -sc_threshold 0 -bf 0'
  const picture = ['-loop', '1', '-framerate', '30', '-i', still]
  const sound = ['-f', 'lavfi', '-i', `aevalsrc=${tones}:s=44100`]
  const mixed = ['-filter_complex', filters, '-map', '[v]', '-map', '[heard]', '-t', '12']
  await run('ffmpeg', [
    '-loglevel',
    'error',
    '-y',
    ...picture,
    ...sound,
    ...mixed,
    ...coded.split(' '),
    '-c:a',
    'aac',
    '-b:a',
    '128k',
    '-f',
    'flv',
    show,
  ])
  return show
}

/** Pushes a file over and over, in its own time, as it is. */
export function startPush(show: string, pushUrl: string): Push {
  const child: ChildProcess = spawn(
    'ffmpeg',
    ['-hide_banner', '-loglevel', 'error', '-re', '-stream_loop', '-1', '-i', show, '-c', 'copy', '-f', 'flv', pushUrl],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  )
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  return {
    stop: async () => {
      // It ends by itself when it loses its service.
      if (child.exitCode === null) child.stdin?.end('q')
      await ended
    },
  }
}
