import type { SceneTexts } from './scene.ts'

/** Languages of the pictures. */
export type Language = 'en' | 'zh'

/** Somebody with an account. */
export interface Person {
  readonly accid: string
  readonly name: string
}

/** Everything that is invented for the pictures of one language. */
export interface Personas {
  /** Where they may live; the one where it is evening is taken. */
  readonly timeZones: readonly string[]
  /** As a browser of these people says it. */
  readonly locale: string
  readonly scene: SceneTexts
  readonly channels: {
    readonly show: string
    readonly second: string
    readonly idle: readonly string[]
    readonly disabled: string
  }
  /** Name of recorded files. */
  readonly filenames: { readonly show: string; readonly second: string; readonly merged: string; readonly next: string }
  readonly markers: readonly string[]
  readonly room: { readonly name: string; readonly announcement: string; readonly others: readonly string[] }
  readonly host: Person
  /** Moderator who sits at another computer. */
  readonly seat: Person
  readonly moderator: Person
  /** Whoever moderates a room on another computer from this app. */
  readonly guest: Person
  readonly people: readonly Person[]
  /** Lines of the room in their order, by accid. */
  readonly lines: readonly (readonly [accid: string, text: string])[]
  /** What the moderator takes out, who said it, and why. */
  readonly removed: { readonly accid: string; readonly text: string; readonly why: string }
  readonly muted: { readonly accid: string; readonly why: string }
  /** A line with a word of the list, which waits for a decision. */
  readonly held: { readonly accid: string; readonly text: string }
  readonly words: { readonly reject: readonly string[]; readonly review: readonly string[] }
  readonly queue: readonly (readonly [key: string, value: string])[]
  readonly talk: {
    readonly with: string
    readonly lines: readonly (readonly [accid: string, text: string])[]
    readonly team: string
    readonly intro: string
  }
  readonly hosted: string
  /** An own service on another computer. */
  readonly elsewhere: string
  /** Who has a link of their own; the last one was revoked. */
  readonly links: readonly [string, string, string, string]
}

const en: Personas = {
  timeZones: [
    'Europe/Berlin',
    'America/New_York',
    'America/Los_Angeles',
    'Pacific/Auckland',
    'Asia/Singapore',
    'Asia/Kolkata',
  ],
  locale: 'en-GB',
  scene: { title: 'Night Radio', line: 'Requests until one, with Ana' },
  channels: {
    show: 'Night_Radio',
    second: 'Rooftop_View',
    idle: ['Kitchen_Table', 'Speedrun_Weekly'],
    disabled: 'Chess_Club',
  },
  filenames: { show: 'NightRadio', second: 'Rooftop', merged: 'NightRadio_best_of', next: 'NightRadio_midweek' },
  markers: ['Call from Lisbon', 'Live set'],
  room: {
    name: 'Night Radio chat',
    announcement:
      'Requests until one. Put your song into the queue, one each. Track list: https://nightradio.example/tracks',
    others: ['Kitchen Table chat'],
  },
  host: { accid: 'ana', name: 'Ana' },
  seat: { accid: 'mei', name: 'Mei' },
  moderator: { accid: 'tom', name: 'Tom' },
  guest: { accid: 'noor', name: 'Noor' },
  people: [
    { accid: 'kestrel', name: 'kestrel' },
    { accid: 'jonas', name: 'Jonas' },
    { accid: 'priya', name: 'Priya' },
    { accid: 'lucia', name: 'Lucía' },
    { accid: 'owl42', name: 'owl42' },
    { accid: 'hannah', name: 'Hannah K' },
    { accid: 'bargain', name: 'bargain_bin' },
  ],
  lines: [
    ['kestrel', 'evening everyone, first time I catch this live'],
    ['ana', 'Welcome in. The line opens in five minutes.'],
    ['jonas', 'that bass line is so warm tonight'],
    ['priya', 'greetings from Pune, half past one here'],
    ['tom', 'Song requests go into the queue, one each please.'],
    ['owl42', 'is there a track list somewhere?'],
    ['tom', 'Yes: https://nightradio.example/tracks'],
    ['lucia', 'could you play something by Cesária Évora?'],
    ['ana', 'Lucía, you are third in the queue, I have it here.'],
    ['hannah', 'the picture of the city is lovely, where is that?'],
    ['kestrel', 'sound is perfect now, it was a little quiet before'],
    ['priya', 'same here, loud and clear'],
    ['ana', 'Thank you. One notch up on the desk.'],
  ],
  removed: { accid: 'bargain', text: 'cheap watches at half price, ask me for the link', why: 'Advertising' },
  muted: { accid: 'bargain', why: 'Advertising' },
  held: { accid: 'owl42', text: 'I missed the giveaway, when is the next one?' },
  words: { reject: ['cheap followers'], review: ['giveaway'] },
  queue: [
    ['jonas', 'Massive Attack, Teardrop'],
    ['hannah', 'Nina Simone, Sinnerman'],
    ['lucia', 'Cesária Évora, Sodade'],
  ],
  talk: {
    with: 'mei',
    lines: [
      ['ana', 'We begin at nine. Can you take the chat for the first hour?'],
      ['mei', 'Yes. I have the invitation open already.'],
      ['ana', 'The queue opens at half past. One song each.'],
      ['mei', 'Then I pin that as the announcement.'],
      ['ana', 'Perfect, thank you.'],
      ['mei', 'See you there.'],
    ],
    team: 'Night crew',
    intro: 'Everybody who keeps the late show running.',
  },
  hosted: 'Studio cloud',
  elsewhere: 'Studio rack',
  links: ['Members list', 'Campus radio', 'Mum', 'Old forum post'],
}

const zh: Personas = {
  timeZones: ['Asia/Shanghai'],
  locale: 'zh-CN',
  scene: { title: '深夜电台', line: '小安陪你点歌到一点' },
  channels: { show: '深夜电台', second: '天台看云', idle: ['小厨房', '速通周报'], disabled: '围棋社' },
  filenames: { show: '深夜电台', second: '天台', merged: '深夜电台精选', next: '深夜电台周中合集' },
  markers: ['成都来电', '现场弹唱'],
  room: {
    name: '深夜电台聊天室',
    announcement: '今晚点歌到一点，每人一首，请先排队。歌单：https://yedian.example/gedan',
    others: ['小厨房聊天室'],
  },
  host: { accid: 'ana', name: '小安' },
  seat: { accid: 'mei', name: '小美' },
  moderator: { accid: 'tang', name: '老唐' },
  guest: { accid: 'xiaobei', name: '小北' },
  people: [
    { accid: 'akai', name: '阿凯' },
    { accid: 'linxiaoman', name: '林小满' },
    { accid: 'yunmao', name: '云端的猫' },
    { accid: 'laozhou', name: '老周' },
    { accid: 'juzi', name: '橘子汽水' },
    { accid: 'moli', name: '茉莉' },
    { accid: 'tejia', name: '特价小铺' },
  ],
  lines: [
    ['akai', '晚上好，第一次赶上直播'],
    ['ana', '欢迎。五分钟后开放连线。'],
    ['laozhou', '今晚的低音好温暖'],
    ['yunmao', '从成都发来问候，这边下雨了'],
    ['tang', '点歌请排队，每人一首。'],
    ['juzi', '有歌单吗？'],
    ['tang', '有：https://yedian.example/gedan'],
    ['linxiaoman', '可以放一首陈绮贞吗？'],
    ['ana', '小满排在第三位，我记下了。'],
    ['moli', '窗外的城市好美，是哪里？'],
    ['akai', '现在声音正好，刚才有点小'],
    ['yunmao', '我这边也很清楚'],
    ['ana', '谢谢，调音台推高了一格。'],
  ],
  removed: { accid: 'tejia', text: '名表半价，私聊发链接', why: '广告' },
  muted: { accid: 'tejia', why: '广告' },
  held: { accid: 'juzi', text: '错过抽奖了，下一次是什么时候？' },
  words: { reject: ['代刷粉丝'], review: ['抽奖'] },
  queue: [
    ['laozhou', '朴树《平凡之路》'],
    ['moli', '许巍《蓝莲花》'],
    ['linxiaoman', '陈绮贞《旅行的意义》'],
  ],
  talk: {
    with: 'mei',
    lines: [
      ['ana', '九点开播，第一个小时你来管聊天室可以吗？'],
      ['mei', '可以，邀请链接已经打开了。'],
      ['ana', '九点半开放点歌，每人一首。'],
      ['mei', '那我把这条写进公告。'],
      ['ana', '好的，辛苦了。'],
      ['mei', '待会儿见。'],
    ],
    team: '深夜值班组',
    intro: '让深夜节目按时播出的每一个人。',
  },
  hosted: '云端工作室',
  elsewhere: '机房服务器',
  links: ['会员名单', '校园电台', '妈妈', '旧论坛帖子'],
}

/** People, names and words in both languages. */
export const personasOf: Readonly<Record<Language, Personas>> = { en, zh }
