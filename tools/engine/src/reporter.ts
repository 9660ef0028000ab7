/** Hears what the installer does. */
export interface Reporter {
  /** One line about what happens or happened. */
  say(line: string): void;
  /** An activity whose end is known is so far, 0 to 100. */
  percent(activity: string, percent: number): void;
  /** An activity whose end is not known is still alive after so many seconds. */
  seconds(activity: string, seconds: number): void;
}

/** Where a console reporter writes: a part of `process.stderr`. */
export interface Screen {
  isTTY?: boolean;
  write(text: string): unknown;
}

const PERCENT_STEP = 25;
const SECONDS_STEP = 15;

/** On a terminal progress is one line that changes; elsewhere, in a log, it is a line now and then. */
export function consoleReporter(screen: Screen): Reporter {
  let lineIsOpen = false;
  let lastState = '';
  let lastMilestone = '';

  const say = (line: string): void => {
    screen.write(lineIsOpen ? `\n${line}\n` : `${line}\n`);
    lineIsOpen = false;
  };
  const progress = (activity: string, state: string, milestone: number): void => {
    const line = `  ${activity}: ${state}`;
    if (screen.isTTY) {
      if (line !== lastState) screen.write(`\r${line}\x1b[K`);
      lineIsOpen = true;
    } else if (milestone > 0 && lastMilestone !== `${activity} ${milestone}`) {
      lastMilestone = `${activity} ${milestone}`;
      say(line);
    }
    lastState = line;
  };
  return {
    say,
    percent: (activity, percent) => progress(activity, `${percent} %`, Math.floor(percent / PERCENT_STEP)),
    seconds: (activity, seconds) => progress(activity, `${seconds} s`, Math.floor(seconds / SECONDS_STEP)),
  };
}
